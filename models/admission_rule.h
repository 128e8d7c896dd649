// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/quantity.h"
#include "models/kv_layout.h"

// How a serving engine turns a device's memory into KV cache: what models/engines/*.yaml say.
// models/steps/admission.h has the closed form.
namespace roofcast {

// What the engine's memory fraction is a fraction of.
enum class BudgetBase : std::uint8_t {
  kTotal,              // all memory; weights, activations and KV cache have to fit in the fraction
  kFreeAtStart,        // what is free before weights are loaded; weights and KV cache are in it
  kFreeAfterProfiling  // what is free beside weights and activations; the KV cache alone is in it
};
template <>
struct EnumNames<BudgetBase> {
  static constexpr std::array<std::pair<BudgetBase, std::string_view>, 3> kNames = {{
      {BudgetBase::kTotal, "total"},
      {BudgetBase::kFreeAtStart, "free_at_start"},
      {BudgetBase::kFreeAfterProfiling, "free_after_profiling"},
  }};
};

// What the engine does when nobody says how much it may do at once. The last row that a device's
// memory reaches holds.
struct BatchDefaults {
  Bytes from_memory;
  std::vector<std::string> except;  // devices whose name begins so keep the row before
  std::int64_t sequences = 0;
  std::optional<std::int64_t> sequences_of_tp4;
  std::int64_t batched_tokens = 0;

  template <class V>
  static void Fields(V& v) {
    v("from_memory",
      &BatchDefaults::from_memory,
      "devices with this much memory and more",
      FieldRule::kMayBeZero);
    v("except", &BatchDefaults::except, "devices (beginnings of names) that the row leaves out");
    v("sequences", &BatchDefaults::sequences, "that run at once at most");
    v("sequences_of_tp4", &BatchDefaults::sequences_of_tp4, "the same where tp is 4 or more");
    v("batched_tokens", &BatchDefaults::batched_tokens, "of one pass at most");
  }
};

// A fraction that follows from what is held back: 1 - reserve / memory, to three digits, with
//   reserve = max(floor, constant + a token x batched tokens + a sequence x sequences
//                 + a rank x tp x pp)
struct DefaultReserve {
  Bytes constant;
  Bytes per_batched_token;
  Bytes per_sequence;
  Bytes per_rank;
  Bytes floor;
  Bytes floor_from;

  template <class V>
  static void Fields(V& v) {
    v("constant", &DefaultReserve::constant, "held back in any case");
    v("per_batched_token", &DefaultReserve::per_batched_token, "for activations");
    v("per_sequence", &DefaultReserve::per_sequence, "for graphs of the decode step");
    v("per_rank", &DefaultReserve::per_rank, "for each device of a replica");
    v("floor", &DefaultReserve::floor, "the least that is held back by large devices");
    v("floor_from", &DefaultReserve::floor_from, "memory of a large device");
  }
};

struct AdmissionRule {
  std::string product;
  std::string first_version;
  std::optional<std::string> last_version;
  BudgetBase fraction_of = BudgetBase::kTotal;
  std::optional<double> fraction;
  std::optional<DefaultReserve> reserve;
  std::vector<BatchDefaults> batch;
  std::int64_t block_size = 1;
  KvPolicy kv_policy = KvPolicy::kFull;
  LatentForm latent_form = LatentForm::kAbsorbed;
  StateFormat state_format = StateFormat::kFp32;
  std::optional<std::int64_t> window_room;
  std::optional<double> pool_share;
  Bytes driver;
  Bytes context;
  bool context_in_budget = false;
  Bytes libraries;
  Bytes communication;
  std::optional<double> bytes_per_logit;
  Bytes graphs;
  bool graphs_in_budget = false;

  template <class V>
  static void Fields(V& v) {
    v("product", &AdmissionRule::product, "the engine without its version");
    v("first_version", &AdmissionRule::first_version, "that the rule holds for");
    v("last_version",
      &AdmissionRule::last_version,
      "that it holds for; open: the newest one known");
    v("fraction_of",
      &AdmissionRule::fraction_of,
      "total, free_at_start or free_after_profiling: what the memory fraction is taken of");
    v("fraction", &AdmissionRule::fraction, "default of that fraction");
    v("reserve", &AdmissionRule::reserve, "what the default follows from where it is no constant");
    v("batch", &AdmissionRule::batch, "defaults of sequences and tokens, least memory first");
    v("block_size", &AdmissionRule::block_size, "tokens of a block or page of KV cache");
    v("kv_policy",
      &AdmissionRule::kv_policy,
      "full, window, hybrid or pools: what windowed layers reserve");
    v("latent_form", &AdmissionRule::latent_form, "absorbed or expanded: what MLA caches");
    v("state_format", &AdmissionRule::state_format, "fp32 or model: of recurrent states");
    v("window_room",
      &AdmissionRule::window_room,
      "tokens that windowed layers keep beyond the window; default: those of one pass");
    v("pool_share",
      &AdmissionRule::pool_share,
      "pools: tokens of windowed layers for one of others");
    v("driver",
      &AdmissionRule::driver,
      "of the memory that nvidia-smi reports, what no program is offered");
    v("context", &AdmissionRule::context, "driver context before the engine allocates anything");
    v("context_in_budget",
      &AdmissionRule::context_in_budget,
      "whether the fraction has to hold the context, too");
    v("libraries",
      &AdmissionRule::libraries,
      "what libraries allocate beside tensors on one device");
    v("communication",
      &AdmissionRule::communication,
      "buffers of collectives, where a replica has several devices");
    v("bytes_per_logit",
      &AdmissionRule::bytes_per_logit,
      "peak of sampling for the most sequences, a logit; none: not profiled");
    v("graphs", &AdmissionRule::graphs, "captured graphs of the decode step");
    v("graphs_in_budget",
      &AdmissionRule::graphs_in_budget,
      "whether the fraction holds graphs, too");
  }
};

}  // namespace roofcast
