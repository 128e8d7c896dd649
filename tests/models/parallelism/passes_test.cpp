// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/passes.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

#include "models/llm/config.h"
#include "models/parallelism/lower.h"

namespace roofcast {
namespace {

constexpr Pass kPrefill{2, 1024, 1024, false};
constexpr Pass kTraining{2, 1024, 1024, true};

std::map<std::string, Elementwise> PassesIn(const WorkList& list) {
  std::map<std::string, Elementwise> passes;
  for (const Work& item : list) {
    const Op* op = std::get_if<Op>(&item.what);
    if (op == nullptr || !std::holds_alternative<Elementwise>(*op)) continue;
    passes[std::string(item.group) + ": " + std::string(item.name)] = std::get<Elementwise>(*op);
  }
  return passes;
}

// So many tensors of rows x cols numbers of two bytes are read or written.
void CheckPass(const Elementwise& op,
               ElementwiseKind kind,
               double tensors,
               std::int64_t rows,
               std::int64_t cols) {
  CHECK(op.kind == kind);
  CHECK(op.rows == rows);
  CHECK(op.cols == cols);
  CHECK(op.traffic.value() == tensors * static_cast<double>(rows * cols) * 2);
}

}  // namespace

TEST_CASE("bytes of a dense layer's passes are the sum of the tensors they read and write") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  auto passes = PassesIn(LayerForward(llm, llm.kinds[0], {.tp = 4}, {}, kPrefill));
  CHECK(passes.size() == 4);
  CheckPass(passes["attention: norm and residual"], ElementwiseKind::kNorm, 4, 2048, 8192);
  CheckPass(passes["ffn: norm and residual"], ElementwiseKind::kNorm, 4, 2048, 8192);
  // 16 query heads, 2 of keys, and 2 of values into the cache.
  CheckPass(passes["attention: rotary and KV write"],
            ElementwiseKind::kRotary,
            2,
            2048,
            std::int64_t{20} * 128);
  CheckPass(passes["ffn: activation"], ElementwiseKind::kGatedActivation, 3, 2048, 28672 / 4);
}

TEST_CASE("backward reads the gradient beside what forward read") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  const Plan plan{.tp = 4, .sequence_parallel = false};
  auto passes = PassesIn(LayerBackward(llm, llm.kinds[0], plan, {}, kTraining));
  CheckPass(passes["ffn: norm and residual"], ElementwiseKind::kNorm, 6, 2048, 8192);
  CheckPass(passes["ffn: activation"], ElementwiseKind::kGatedActivation, 5, 2048, 28672 / 4);
  // Training caches nothing.
  CheckPass(passes["attention: rotary and KV write"],
            ElementwiseKind::kRotary,
            2,
            2048,
            std::int64_t{18} * 128);
}

TEST_CASE("sequence parallelism norms each rank's own tokens") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  const Plan plan{.tp = 4, .sequence_parallel = true};
  auto passes = PassesIn(LayerForward(llm, llm.kinds[0], plan, {}, kTraining));
  CheckPass(passes["ffn: norm and residual"], ElementwiseKind::kNorm, 4, 512, 8192);
}

TEST_CASE("routed experts are one operator with their own passes, shared ones have theirs") {
  const Llm routed = LoadLlm("qwen3-30b-a3b");
  const auto alone = PassesIn(LayerForward(routed, routed.kinds[0], {}, {}, kPrefill));
  CHECK_FALSE(alone.contains("ffn: activation"));
  const Llm shared = LoadLlm("deepseek-v3");
  auto beside = PassesIn(LayerForward(shared, shared.kinds.back(), {}, {}, kPrefill));
  CheckPass(beside["ffn: activation"], ElementwiseKind::kGatedActivation, 3, 2048, 2048);
}

TEST_CASE("sampling reads the logits of each sequence, the loss those of every token") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  auto serving = PassesIn(HeadForward(llm, {.tp = 4}, {}, kPrefill));
  CHECK(serving["head: sampling"].kind == ElementwiseKind::kSampling);
  CHECK(serving["head: sampling"].rows == 2);
  CHECK(serving["head: sampling"].cols == 128256);
  CHECK(serving["head: sampling"].traffic.value() == 2.0 * 128256 * 8);
  auto training = PassesIn(HeadForward(llm, {.tp = 4}, {}, kTraining));
  CHECK(training["head: loss"].kind == ElementwiseKind::kLoss);
  CHECK(training["head: loss"].rows == 2048);
  CHECK(training["head: loss"].cols == 128256 / 4);
}

}  // namespace roofcast
