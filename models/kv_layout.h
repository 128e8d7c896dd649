// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/fields.h"

// How the software that serves a model lays its KV cache out (models/memory/kv_policy.h counts it).
namespace roofcast {

// Which tokens a layer that sees a window has memory for.
enum class KvPolicy : std::uint8_t {
  kFull,    // all of them, as every other layer: a full reservation
  kWindow,  // its window alone, rounded up to blocks
  kHybrid,  // its window, in pages of one size that groups of layers share
  kPools,   // a fixed share of the tokens of the other layers
};
template <>
struct EnumNames<KvPolicy> {
  static constexpr std::array<std::pair<KvPolicy, std::string_view>, 4> kNames = {{
      {KvPolicy::kFull, "full"},
      {KvPolicy::kWindow, "window"},
      {KvPolicy::kHybrid, "hybrid"},
      {KvPolicy::kPools, "pools"},
  }};
};

// What multi-head latent attention caches of a token.
enum class LatentForm : std::uint8_t {
  kAbsorbed,  // the latent and the rotated key: the up-projections are absorbed into the queries
  kExpanded,  // keys and values of every head
};
template <>
struct EnumNames<LatentForm> {
  static constexpr std::array<std::pair<LatentForm, std::string_view>, 2> kNames = {{
      {LatentForm::kAbsorbed, "absorbed"},
      {LatentForm::kExpanded, "expanded"},
  }};
};

// What recurrent states are kept in; the tail of the convolution is in the model's own format.
enum class StateFormat : std::uint8_t { kFp32, kModel };
template <>
struct EnumNames<StateFormat> {
  static constexpr std::array<std::pair<StateFormat, std::string_view>, 2> kNames = {{
      {StateFormat::kFp32, "fp32"},
      {StateFormat::kModel, "model"},
  }};
};

struct KvLayout {
  KvPolicy policy = KvPolicy::kWindow;
  LatentForm latent = LatentForm::kAbsorbed;
  StateFormat state = StateFormat::kFp32;
  std::int64_t block = 1;        // tokens that are allocated at once
  std::int64_t window_room = 0;  // tokens beyond its window that a windowed layer has room for
  double pool_share = 1;         // kPools: tokens of a windowed layer for each of the others

  friend bool operator==(const KvLayout&, const KvLayout&) = default;
};

}  // namespace roofcast
