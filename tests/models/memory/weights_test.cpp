// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "core/catalog.h"
#include "models/llm/config.h"
#include "models/llm/tensors.h"
#include "models/memory/ledger.h"
#include "models/parallelism/plan.h"
#include "models/steps/memory_report.h"

namespace roofcast {
namespace {

std::int64_t Layers(const Llm& llm, std::int64_t kind) {
  return std::count(llm.layers.begin(), llm.layers.end(), kind);
}

// What the ranks of tp x pp hold in all, by the sharding rule of each tensor: replicated tensors tp
// times, KV heads at least one a rank, the vocabulary in equal slices, a tied head twice when it
// lies on another stage.
std::int64_t HeldByAllRanks(const Llm& llm, std::int64_t tp, std::int64_t pp) {
  std::int64_t held = 0;
  const auto add = [&](const Tensor& tensor, std::int64_t times, std::int64_t count) {
    const std::int64_t whole = times * count * tensor.outputs * tensor.inputs;
    if (tensor.shard == Shard::kReplicated) {
      held += whole * tp;
    } else if (tensor.shard == Shard::kKvOutputs) {
      const std::int64_t heads = tensor.outputs / tensor.head_size;
      held += heads >= tp ? whole : whole / heads * tp;
    } else if (tensor.shard == Shard::kVocabulary) {
      held += (tensor.outputs + tp - 1) / tp * tp * tensor.inputs * count;
    } else {
      held += whole;
    }
  };
  for (std::size_t kind = 0; kind < llm.kinds.size(); ++kind) {
    for (const Tensor& tensor : LayerTensors(llm.kinds[kind], llm.hidden)) {
      add(tensor, Layers(llm, static_cast<std::int64_t>(kind)), tensor.count);
    }
  }
  for (const Tensor& tensor : EmbeddingTensors(llm)) add(tensor, 1, tensor.count);
  for (const Tensor& tensor : HeadTensors(llm)) {
    const bool copied = tensor.part == Part::kHead && llm.tied_embeddings && pp > 1;
    add(tensor, 1, copied ? 1 : tensor.count);
  }
  return held;
}

}  // namespace

TEST_CASE("a rank without splits holds every parameter of every model of the zoo") {
  for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) {
    CAPTURE(file.name);
    const Llm llm = LoadLlm(file.name);
    const RankShare whole{1, 0, llm.LayerCount(), true, true};
    CHECK(ParametersOnRank(llm, whole) == CountParameters(llm).total);
  }
}

TEST_CASE("the ranks of a plan together hold the model, and what the plan replicates") {
  for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) {
    const Llm llm = LoadLlm(file.name);
    for (const std::int64_t tp : LegalTp(llm, 64)) {
      for (const std::int64_t pp : {1, 2, 3, 8, 17}) {
        CAPTURE(file.name);
        CAPTURE(tp);
        CAPTURE(pp);
        std::int64_t held = 0;
        const Plan plan{.tp = tp, .pp = pp};
        for (std::int64_t stage = 0; stage < pp; ++stage) {
          held += tp * ParametersOnRank(llm, ShareOf(llm, plan, stage));
        }
        CHECK(held == HeldByAllRanks(llm, tp, pp));
        CHECK(held >= CountParameters(llm).total);
        if (tp == 1 && !llm.tied_embeddings) CHECK(held == CountParameters(llm).total);
      }
    }
  }
}

TEST_CASE("weights of Llama-3.1-8B take two bytes a parameter, half on each of two ranks") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const Node whole = WeightsLedger(llm, {1, 0, 32, true, true}, Precision{});
  CHECK(whole.bytes == Bytes(2.0 * 8'030'261'248));
  CHECK(FindChild(whole, "embedding")->bytes == Bytes(2.0 * 128'256 * 4096));
  const Node half = WeightsLedger(llm, {2, 0, 32, true, true}, Precision{});
  const Bytes norms(2.0 * 4096 * (2 * 32 + 1));
  CHECK(half.bytes == (whole.bytes - norms) / 2 + norms);
}

TEST_CASE("quantised checkpoints take the bytes of the files, scales included") {
  for (const char* name : {"gpt-oss-20b", "gpt-oss-120b"}) {
    CAPTURE(name);
    const Llm llm = LoadLlm(name);
    const Precision precision = ServingPrecision(llm, {});
    const RankShare whole{1, 0, llm.LayerCount(), true, true};
    CHECK(WeightsLedger(llm, whole, precision).bytes.value() ==
          doctest::Approx(CountParameters(llm).checkpoint_bytes.value()).epsilon(1e-12));
  }
}

}  // namespace roofcast
