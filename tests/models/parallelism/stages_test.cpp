// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/stages.h"

#include <doctest/doctest.h>

#include <numeric>

#include "models/llm/config.h"

namespace roofcast {
namespace {

std::vector<std::int64_t> CountsOf(const Llm& llm, const Plan& plan) {
  std::vector<std::int64_t> counts;
  for (const StageLayers& layers : ChunksOf(llm, plan)) {
    counts.push_back(layers.last - layers.first);
  }
  return counts;
}

using Counts = std::vector<std::int64_t>;

// 16 layers of 4 h^2 + 3 h 4h = 2^26, a head of 2^28.
Llm Llama1B() {
  Llm llm;
  llm.hidden = 2048;
  llm.vocabulary = 131'072;
  Layer layer;
  layer.attention = {.heads = 32, .kv_heads = 32, .head_dim = 64, .value_dim = 64};
  layer.ffn = {.width = 8192};
  for (int i = 0; i < 16; ++i) llm.Append(layer);
  return llm;
}

}  // namespace

TEST_CASE("stages hold all layers once, as even as can be") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  for (std::int64_t pp = 1; pp <= 80; ++pp) {
    CAPTURE(pp);
    std::int64_t next = 0;
    for (const StageLayers& layers : ChunksOf(llm, {.pp = pp})) {
      CHECK(layers.first == next);
      CHECK(layers.last - layers.first >= 80 / pp);
      CHECK(layers.last - layers.first <= (80 + pp - 1) / pp);
      next = layers.last;
    }
    CHECK(next == 80);
  }
}

TEST_CASE("by cost the last stage has fewer layers, since the head is four of them") {
  const Llm llm = Llama1B();
  // Half of 16 + 4 layers is exactly ten: nanotron gives the first stage ten, before its pipeline
  // fix eleven.
  CHECK(CountsOf(llm, {.pp = 2, .stages = StageRule::kByCost}) == Counts{10, 6});
  CHECK(CountsOf(llm, {.pp = 2, .stages = StageRule::kByCostPassing}) == Counts{11, 5});
  CHECK(CountsOf(llm, {.pp = 4, .stages = StageRule::kByCost}) == Counts{5, 5, 5, 1});
  CHECK(CountsOf(llm, {.pp = 2}) == Counts{8, 8});
}

TEST_CASE("with fewer layers than stages nanotron gives the first stage the token table alone") {
  Llm llm = Llama1B();
  llm.layers.resize(3);
  CHECK(CountsOf(llm, {.pp = 5, .stages = StageRule::kByCost}) == Counts{0, 1, 1, 1, 0});
}

TEST_CASE("by cost all layers are dealt once, whatever the stages") {
  const Llm llm = LoadLlm("deepseek-v3");
  for (const StageRule rule : {StageRule::kByCost, StageRule::kByCostPassing}) {
    for (std::int64_t pp = 1; pp <= 61; ++pp) {
      const Counts counts = CountsOf(llm, {.pp = pp, .stages = rule});
      CHECK(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) == 61);
    }
  }
}

TEST_CASE("a list of layers is taken as it stands") {
  const Llm llm = Llama1B();
  CHECK(CountsOf(llm, {.pp = 3, .stage_layers = {7, 6, 3}}) == Counts{7, 6, 3});
}

TEST_CASE("1F1B keeps a micro-batch for each stage after, never more than there are") {
  CHECK(LiveForwards(4, 1, 0, 16) == Counts{4});
  CHECK(LiveForwards(4, 1, 3, 16) == Counts{1});
  CHECK(LiveForwards(4, 1, 0, 2) == Counts{2});
}

TEST_CASE("interleaved 1F1B runs (p - rank - 1) 2 + (v - 1) p forwards ahead") {
  // https://github.com/NVIDIA/Megatron-LM/issues/169: p 4, rank 0, v 2 warms up with ten; the
  // eleventh is the first that is followed by a backward.
  const auto total = [](std::int64_t p, std::int64_t v, std::int64_t rank, std::int64_t m) {
    const Counts live = LiveForwards(p, v, rank, m);
    return std::accumulate(live.begin(), live.end(), std::int64_t{0});
  };
  CHECK(total(4, 2, 0, 64) == 10 + 1);
  CHECK(total(4, 2, 3, 64) == 4 + 1);
  CHECK(LiveForwards(4, 2, 0, 64) == Counts{7, 4});
  CHECK(total(4, 2, 0, 4) == 8);  // all of them
  // Korthikanti et al. 2022, section 4.2.3: 1 + (p - 1) / (p v) of the layers' activations.
  for (const auto& [p, v] : {std::pair{8, 3}, {35, 3}, {4, 2}, {2, 5}}) {
    const double layers = static_cast<double>(total(p, v, 0, 1000)) / static_cast<double>(v * p);
    CHECK(layers == doctest::Approx(1 + (p - 1.0) / (p * v)).epsilon(1e-12));
  }
}

}  // namespace roofcast
