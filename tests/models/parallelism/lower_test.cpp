// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/lower.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "core/catalog.h"
#include "hardware/catalog.h"
#include "models/kernels/grouped_gemm_moe.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"

namespace roofcast {
namespace {

const Op* OpOf(const Work& work) {
  return std::get_if<Op>(&work.what);
}
// Operations of the matrix products in a list.
double GemmWork(const WorkList& list) {
  double work = 0;
  for (const Work& item : list) {
    if (OpOf(item) == nullptr) continue;
    if (const auto* gemm = std::get_if<Gemm>(OpOf(item))) {
      work += 2.0 * static_cast<double>(gemm->m) * static_cast<double>(gemm->n) *
              static_cast<double>(gemm->k);
    } else if (const auto* experts = std::get_if<FusedMoe>(OpOf(item))) {
      work += CostOf<double>(*experts, LoadDevice("h100-sxm"), LoadFit().coefficients).work.value();
    }
  }
  return work;
}
std::vector<CollectiveKind> CollectivesIn(const WorkList& list) {
  std::vector<CollectiveKind> kinds;
  for (const Work& item : list) {
    if (const auto* op = std::get_if<Collective>(&item.what)) kinds.push_back(op->kind);
  }
  return kinds;
}
std::int64_t CountOf(const WorkList& list, CollectiveKind kind) {
  const auto kinds = CollectivesIn(list);
  return std::count(kinds.begin(), kinds.end(), kind);
}
std::vector<std::string> NamesIn(const WorkList& list) {
  std::vector<std::string> names;
  for (const Work& item : list) names.emplace_back(item.name);
  return names;
}
Attention CoreOf(const WorkList& list) {
  for (const Work& item : list) {
    if (OpOf(item) == nullptr) continue;
    if (const auto* core = std::get_if<Attention>(OpOf(item))) return *core;
  }
  FAIL("no attention");
  return {};
}

constexpr Pass kTraining{2, 1024, 1024, true};
constexpr Pass kDecode{16, 1, 4097, false};

WorkList Forward(const char* model, const Plan& plan, const Pass& pass) {
  const Llm llm = LoadLlm(model);
  return LayerForward(llm, llm.kinds.back(), plan, Precision{}, pass);
}

}  // namespace

TEST_CASE("the layers and the head multiply what the parameters say, twice that in backward") {
  for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) {
    CAPTURE(file.name);
    const Llm llm = LoadLlm(file.name);
    double forward = GemmWork(HeadForward(llm, {}, {}, kTraining));
    double backward = GemmWork(HeadBackward(llm, {}, {}, kTraining));
    // An image encoder's patches are multiplied too; nobody asks for the gradient of an image.
    forward += GemmWork(EmbeddingForward(llm, {}, {}, kTraining));
    backward += 2 * GemmWork(EmbeddingBackward(llm, {}, {}, kTraining));
    for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
      forward += GemmWork(LayerForward(llm, llm.LayerAt(i), {}, {}, kTraining));
      backward += GemmWork(LayerBackward(llm, llm.LayerAt(i), {}, {}, kTraining));
    }
    const double expected = MatmulFlopsPerToken(llm).value() * 2 * 1024;
    CHECK(forward == doctest::Approx(expected).epsilon(1e-12));
    CHECK(backward == doctest::Approx(2 * expected).epsilon(1e-12));
  }
}

TEST_CASE("a decoder's head reads the last token of each sequence, an encoder's every token") {
  constexpr Pass kPrefill{4, 128, 128, false};
  const Llm decoder = LoadLlm("gpt2");
  CHECK(GemmWork(HeadForward(decoder, {}, {}, kPrefill)) == 2.0 * 4 * 50257 * 768);
  Llm encoder = LoadLlm("bert-base-uncased");
  CHECK(GemmWork(HeadForward(encoder, {}, {}, kPrefill)) == 2.0 * 4 * 128 * 768 * (30522 + 768));
  encoder.has_head = false;  // and without a final norm nothing is left
  CHECK(HeadForward(encoder, {}, {}, kPrefill).empty());
  CHECK(HeadBackward(encoder, {}, {}, kTraining).empty());
}

TEST_CASE("a dense layer's work splits evenly over tp") {
  const double whole = GemmWork(Forward("llama-3.1-70b", {}, kTraining));
  for (const std::int64_t tp : {2, 4, 8}) {
    const WorkList split = Forward("llama-3.1-70b", {.tp = tp}, kTraining);
    CHECK(GemmWork(split) * static_cast<double>(tp) == whole);
    CHECK(CoreOf(split).heads == 64 / tp);
    CHECK(CoreOf(split).kv_heads == 8 / tp);
  }
  CHECK(CoreOf(Forward("llama-3.1-70b", {.tp = 32}, kTraining)).kv_heads == 1);
}

TEST_CASE("a layer runs in the order of the model") {
  CHECK(NamesIn(Forward("llama-3.1-70b", {.tp = 2}, kDecode)) ==
        std::vector<std::string>{"norm and residual",
                                 "qkv",
                                 "rotary and KV write",
                                 "attention",
                                 "o",
                                 "tp all-reduce",
                                 "norm and residual",
                                 "gate_up",
                                 "activation",
                                 "down",
                                 "tp all-reduce"});
  CHECK(NamesIn(Forward("deepseek-v3", {}, kDecode)) ==
        std::vector<std::string>{"norm and residual",
                                 "qkv_a",
                                 "q_b",
                                 "kv_b",
                                 "rotary and KV write",
                                 "attention",
                                 "o",
                                 "norm and residual",
                                 "router",
                                 "shared experts up",
                                 "experts",
                                 "activation",
                                 "shared experts down"});
}

TEST_CASE("one rank has nothing to communicate") {
  for (const char* model : {"llama-3.1-8b", "mixtral-8x7b", "deepseek-v3", "gemma-2-2b"}) {
    const Llm llm = LoadLlm(model);
    for (const Pass& pass : {kTraining, kDecode}) {
      for (const Layer& layer : llm.kinds) {
        CHECK(CollectivesIn(LayerForward(llm, layer, {}, {}, pass)).empty());
        CHECK(CollectivesIn(LayerBackward(llm, layer, {}, {}, pass)).empty());
      }
      for (const auto& ends : {EmbeddingForward, EmbeddingBackward, HeadForward, HeadBackward}) {
        CHECK(CollectivesIn(ends(llm, {}, {}, pass)).empty());
      }
    }
  }
}

TEST_CASE("a layer has two all-reduces, or four and six collectives with sequence parallelism") {
  const Llm llm = LoadLlm("llama-3.1-70b");
  const Plan split{.tp = 8};
  const Plan plain{.tp = 8, .sequence_parallel = false};
  const auto forward = LayerForward(llm, llm.kinds[0], split, {}, kTraining);
  CHECK(CountOf(forward, CollectiveKind::kAllGather) == 2);
  CHECK(CountOf(forward, CollectiveKind::kReduceScatter) == 2);
  const auto backward = LayerBackward(llm, llm.kinds[0], split, {}, kTraining);
  CHECK(CountOf(backward, CollectiveKind::kAllGather) == 4);
  CHECK(CountOf(backward, CollectiveKind::kReduceScatter) == 2);
  for (const auto& lower : {LayerForward, LayerBackward}) {
    const auto list = lower(llm, llm.kinds[0], plain, {}, kTraining);
    CHECK(CollectivesIn(list).size() == 2);
    CHECK(CountOf(list, CollectiveKind::kAllReduce) == 2);
  }
  // Inference never splits the sequence.
  const auto decode = LayerForward(llm, llm.kinds[0], split, {}, kDecode);
  CHECK(CollectivesIn(decode).size() == 2);
  CHECK(CountOf(decode, CollectiveKind::kAllReduce) == 2);
  for (const Work& item : decode) {
    if (const auto* op = std::get_if<Collective>(&item.what)) {
      CHECK(op->bytes == Bytes(16.0 * 8192 * 2));
      CHECK(op->group.size == 8);
      CHECK(op->group.stride == 1);
    }
  }
}

TEST_CASE("MLA is absorbed for one query and expanded for many") {
  const Attention decode = CoreOf(Forward("deepseek-v3", {.tp = 8}, kDecode));
  CHECK(decode.heads == 16);
  CHECK(decode.kv_heads == 1);
  CHECK(decode.head_dim == 576);
  CHECK(decode.value_dim == 512);
  CHECK(decode.shared_values);
  const Attention prefill = CoreOf(Forward("deepseek-v3", {.tp = 8}, {1, 4096, 4096, false}));
  CHECK(prefill.kv_heads == 16);
  CHECK(prefill.head_dim == 192);
  CHECK(prefill.value_dim == 128);
  CHECK(!prefill.shared_values);
}

TEST_CASE("sliding layers attend within their window, quantised experts keep their format") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  const Precision precision = ServingPrecision(llm, {});
  std::vector<std::int64_t> windows;
  for (const Layer& layer : llm.kinds) {
    const auto list = LayerForward(llm, layer, {}, precision, kDecode);
    windows.push_back(CoreOf(list).window);
    for (const Work& item : list) {
      if (OpOf(item) == nullptr) continue;
      if (const auto* gemm = std::get_if<Gemm>(OpOf(item))) CHECK(gemm->weights == DType::kBf16);
      if (const auto* experts = std::get_if<FusedMoe>(OpOf(item))) {
        CHECK(experts->weights == DType::kFp4);
        CHECK(experts->math == DType::kBf16);
        CHECK(experts->tokens == 16);
        CHECK(experts->per_token == 4);
        CHECK(GroupedGemmMoe::FormatOf(*experts) == "w4a16 mxfp4");
      }
    }
  }
  std::sort(windows.begin(), windows.end());
  CHECK(windows == std::vector<std::int64_t>{0, 128});
}

TEST_CASE("experts that more ranks share get the tokens of all of them, and as much work a rank") {
  const auto experts_of = [](const Plan& plan) {
    for (const Work& item : Forward("deepseek-v3", plan, kDecode)) {
      if (OpOf(item) == nullptr) continue;
      if (const auto* experts = std::get_if<FusedMoe>(OpOf(item))) return *experts;
    }
    FAIL("no experts");
    return FusedMoe{};
  };
  const auto work_of = [](const FusedMoe& op) {
    return CostOf<double>(op, LoadDevice("h100-sxm"), LoadFit().coefficients).work.value();
  };
  const FusedMoe split = experts_of({.tp = 8});
  CHECK(split.tokens == 16);
  CHECK(split.tp == 8);
  const FusedMoe own = experts_of({.tp = 8, .ep = 8});
  CHECK(own.tokens == 16);
  CHECK(own.tp == 1);
  const FusedMoe wide = experts_of({.tp = 8, .dp = 4, .ep = 32});
  CHECK(wide.tokens == 64);
  CHECK(work_of(own) == work_of(split));
  CHECK(work_of(wide) == work_of(split));
  CHECK(GroupedGemmMoe::FormatOf(split) == "bf16");  // Precision{} says so, whatever is stored
}

TEST_CASE("inference takes logits of the last tokens alone, training of all") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const double one = 2.0 * 4096 * 128'256;
  CHECK(GemmWork(HeadForward(llm, {}, {}, {3, 100, 100, false})) == 3 * one);
  CHECK(GemmWork(HeadForward(llm, {}, {}, {3, 100, 100, true})) == 300 * one);
}

TEST_CASE("stages hand on their tokens: a slice with sequence parallelism, all of them without") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const Plan plan{.tp = 4, .pp = 2, .dp = 2};
  const Bytes whole(2048.0 * 4096 * 2);
  CHECK(StageTransfer(llm, plan, {}, kTraining).bytes == whole / 4);
  Plan plain = plan;
  plain.sequence_parallel = false;
  CHECK(StageTransfer(llm, plain, {}, kTraining).bytes == whole);
  CHECK(StageTransfer(llm, plan, {}, kDecode).bytes == Bytes(16.0 * 4096 * 2));
  CHECK(StageTransfer(llm, plan, {}, kTraining).group.stride == 8);
}

}  // namespace roofcast
