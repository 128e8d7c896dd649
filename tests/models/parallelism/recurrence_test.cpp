// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/recurrence.h"

#include <doctest/doctest.h>

#include "models/llm/config.h"
#include "models/parallelism/lower.h"

namespace roofcast {
namespace {

constexpr Pass kPrefill{2, 1024, 1024, false};
constexpr Pass kDecode{16, 1, 4097, false};

// The first layer with a recurrence.
const Layer& RecurrentOf(const Llm& llm) {
  for (const Layer& layer : llm.kinds) {
    if (!layer.recurrent.IsNone()) return layer;
  }
  FAIL("no recurrent layer");
  return llm.kinds.front();
}

double MatrixWork(const WorkList& list, std::string_view group) {
  double work = 0;
  for (const Work& item : list) {
    const Op* op = std::get_if<Op>(&item.what);
    if (op == nullptr || item.group != group) continue;
    if (const auto* gemm = std::get_if<Gemm>(op)) {
      work += 2.0 * static_cast<double>(gemm->m * gemm->n) * static_cast<double>(gemm->k);
    }
  }
  return work;
}

StateScan StateOf(const WorkList& list) {
  for (const Work& item : list) {
    if (item.name != "recurrent state") continue;
    return std::get<StateScan>(std::get<Op>(item.what));
  }
  FAIL("no recurrent state");
  return {};
}

std::int64_t CollectivesIn(const WorkList& list) {
  std::int64_t count = 0;
  for (const Work& item : list) count += std::holds_alternative<Collective>(item.what) ? 1 : 0;
  return count;
}

}  // namespace

// By hand, from the published sizes: operations of one token in the matrix products of one layer's
// mixer, and those on its state and convolution when tokens come one at a time.
TEST_CASE("a recurrent layer of each kind does the operations counted by hand") {
  struct Row {
    const char* name;
    double matrices;
    double state;
  };
  const Row rows[] = {
      // Mamba: 2560 -> 2 x 5120 -> 160 + 2 x 16; 160 -> 5120; 5120 -> 2560.
      {"mamba-2.8b",
       2.0 * (2560 * 10240 + 5120 * 192 + 160 * 5120 + 5120 * 2560),
       5.0 * 5120 * 16 + 2 * 4 * 5120},
      // Mamba-2: 4480 -> 2 x 10240 + 2 x 8 x 128 + 128; 10240 -> 4480.
      {"nemotron-nano-9b-v2",
       2.0 * (4480.0 * 22656 + 10240 * 4480),
       5.0 * 128 * 80 * 128 + 2 * 4 * (10240 + 2048)},
      // Gated delta: 2048 -> 2 x 2048 keys + 2 x 4096 + 64; 4096 -> 2048.
      {"qwen3-next-80b-a3b",
       2.0 * (2048 * 12352 + 4096 * 2048),
       7.0 * 32 * 128 * 128 + 2 * 4 * (4096 + 4096)},
      // Kimi delta: 2304 -> 3 x 4096 + 32 + 2 x 128; twice 128 -> 4096; 4096 -> 2304.
      {"kimi-linear-48b-a3b",
       2.0 * (2304 * (12288 + 32 + 256) + 2 * 128 * 4096 + 4096 * 2304),
       7.0 * 32 * 128 * 128 + 2 * 4 * 12288},
      // Lightning: 6144 -> 4 x 8192; 8192 -> 6144. No convolution.
      {"minimax-text-01", 2.0 * (6144.0 * 32768 + 8192 * 6144), 5.0 * 64 * 128 * 128},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const Llm llm = LoadLlm(row.name);
    const WorkList list = LayerForward(llm, RecurrentOf(llm), {}, {}, kPrefill);
    CHECK(MatrixWork(list, "recurrent") == doctest::Approx(2048 * row.matrices).epsilon(1e-12));
    const WorkList step = LayerForward(llm, RecurrentOf(llm), {}, {}, kDecode);
    CHECK(WorkOf(StateOf(step)).vector.value() == doctest::Approx(16 * row.state).epsilon(1e-12));
    CHECK(WorkOf(StateOf(step)).matrix.value() == 0);
    const WorkList backward = LayerBackward(llm, RecurrentOf(llm), {}, {}, {2, 1024, 1024, true});
    CHECK(MatrixWork(backward, "recurrent") ==
          doctest::Approx(2 * 2048 * row.matrices).epsilon(1e-12));
  }
}

TEST_CASE("decode reads and writes each sequence's state once, whatever the context") {
  const Llm llm = LoadLlm("qwen3-next-80b-a3b");
  const RecurrentLayer& layer = RecurrentOf(llm).recurrent;
  const ScanWork one = WorkOf(RecurrenceOn(layer, 1, kDecode, {}));
  CHECK(one.traffic.value() ==
        16.0 * 2 * 32 * 128 * 128 * 4 + 16.0 * (3 * 4096 + 2 * 16 * 128) * 2);
  Pass longer = kDecode;
  longer.keys = 131072;
  CHECK(WorkOf(RecurrenceOn(layer, 1, longer, {})).traffic == one.traffic);
  const ScanWork split = WorkOf(RecurrenceOn(layer, 4, kDecode, {}));
  CHECK(4 * split.traffic.value() == one.traffic.value());
  CHECK(4 * split.vector.value() == one.vector.value());
}

TEST_CASE("a single group of keys is copied to every rank, more are split") {
  RecurrentLayer layer = RecurrentOf(LoadLlm("granite-4.0-h-small")).recurrent;
  REQUIRE(layer.key_heads == 1);
  const auto traffic = [&](std::int64_t tp) {
    return WorkOf(RecurrenceOn(layer, tp, {1, 1, 1, false}, {})).traffic.value();
  };
  const double keys = 2.0 * 128 * 2;
  CHECK(4 * (traffic(4) - keys) == traffic(1) - keys);
  layer.key_heads = 8;
  CHECK(4 * traffic(4) == traffic(1));
}

TEST_CASE("attention and Mamba-2 of Falcon-H1 read one norm and end in one sum") {
  const Llm llm = LoadLlm("falcon-h1-34b");
  const WorkList list = LayerForward(llm, llm.kinds[0], {.tp = 2}, {}, kDecode);
  std::int64_t norms = 0;
  for (const Work& item : list) norms += item.name == "norm and residual" ? 1 : 0;
  CHECK(norms == 2);  // and that of the FFN
  CHECK(CollectivesIn(list) == 2);
  CHECK(MatrixWork(list, "attention") ==
        16 * 2.0 * 5120 * 128 * (10 + 2 * 2 + 10));  // 20 query and 4 KV heads over 2 ranks
}

TEST_CASE("Mamba adds up step size, B and C over tp, and a norm over all heads its squares") {
  const auto collectives = [](const char* name, std::int64_t tp) {
    const Llm llm = LoadLlm(name);
    return CollectivesIn(LayerForward(llm, llm.kinds[0], {.tp = tp}, {}, kDecode));
  };
  CHECK(collectives("mamba-2.8b", 1) == 0);
  CHECK(collectives("mamba-2.8b", 4) == 2);       // and the end of the mixer
  CHECK(collectives("minimax-text-01", 4) == 3);  // and the end of the FFN
  CHECK(collectives("minimax-m2", 4) == 3);
  CHECK(collectives("qwen3-next-80b-a3b", 4) == 2);
}

TEST_CASE("layers without an FFN or a mixer have no work of it") {
  const Llm llm = LoadLlm("nemotron-3-nano-30b-a3b");
  for (const Layer& layer : llm.kinds) {
    const WorkList list = LayerForward(llm, layer, {.tp = 2}, {}, kDecode);
    const std::string_view only = !layer.attention.IsNone()   ? "attention"
                                  : !layer.recurrent.IsNone() ? "recurrent"
                                                              : "ffn";
    for (const Work& item : list) CHECK(item.group == only);
    CHECK(CollectivesIn(list) == 1);
  }
}

TEST_CASE("sparse attention gathers latents where it picks tokens, and its indexer sees all") {
  const Llm llm = LoadLlm("deepseek-v3.2");
  const auto find = [&](const Pass& pass, std::string_view name) {
    for (const Work& item : LayerForward(llm, llm.kinds[1], {.tp = 8}, {}, pass)) {
      if (item.name == name) return std::get<Attention>(std::get<Op>(item.what));
    }
    return Attention{};
  };
  const Pass long_prompt{1, 8192, 8192, false};
  CHECK(find(long_prompt, "attention").shared_values);
  CHECK(find(long_prompt, "attention").head_dim == 576);
  CHECK(find(long_prompt, "attention").window == 2048);
  CHECK_FALSE(find({1, 2048, 2048, false}, "attention").shared_values);
  CHECK(find(kDecode, "attention").shared_values);
  CHECK(find(long_prompt, "indexer").window == 0);
  CHECK(find(long_prompt, "indexer").heads == 64);  // each rank has it whole
}

}  // namespace roofcast
