// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/small_models.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/json.h"
#include "core/scalar.h"
#include "models/llm/config.h"
#include "models/llm/tensors.h"

namespace roofcast::bench {
namespace {

struct Sizes {
  std::int64_t hidden;
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t width;
  std::int64_t layers;
  std::int64_t vocabulary;
};
// The first ones are the quick ones. None of their matrices or heads is one of the grid's.
constexpr std::array<Sizes, 3> kModels = {
    {{640, 10, 10, 1728, 10, 8064}, {768, 12, 12, 2048, 12, 32000}, {1152, 18, 6, 3072, 8, 16128}}};
constexpr std::size_t kQuickModels = 2;
constexpr double kCaches = 4;  // how many the weights fill

std::string ConfigOf(const Sizes& sizes, std::int64_t layers, DType dtype) {
  const Json config = {{"architectures", {"LlamaForCausalLM"}},
                       {"model_type", "llama"},
                       {"hidden_size", sizes.hidden},
                       {"intermediate_size", sizes.width},
                       {"num_hidden_layers", layers},
                       {"num_attention_heads", sizes.heads},
                       {"num_key_value_heads", sizes.kv_heads},
                       {"head_dim", sizes.hidden / sizes.heads},
                       {"vocab_size", sizes.vocabulary},
                       {"max_position_embeddings", 4096},
                       {"hidden_act", "silu"},
                       {"tie_word_embeddings", false},
                       {"torch_dtype", dtype == DType::kBf16 ? "bfloat16" : "float32"}};
  return FormatJson(config);
}

Bytes BytesOfLayer(const Llm& llm, DType dtype) {
  Bytes bytes;
  for (const Tensor& tensor : LayerTensors(llm.kinds.front(), llm.hidden)) {
    bytes += Number(tensor.Parameters()) * BytesOf(dtype);
  }
  return bytes;
}

SmallModel Make(const Sizes& sizes, DType dtype, std::optional<Bytes> cache) {
  SmallModel model;
  model.name = "llama-like-" + std::to_string(sizes.hidden);
  const auto parse = [&](std::int64_t layers) {
    model.config = ConfigOf(sizes, layers, dtype);
    model.llm = ParseLlm(model.config, model.name, model.name + ".json");
  };
  parse(sizes.layers);
  const double needed = kCaches * cache.value_or(Bytes(0)).value();
  const auto layers =
      static_cast<std::int64_t>(std::ceil(needed / BytesOfLayer(model.llm, dtype).value()));
  if (layers > sizes.layers) parse(layers);
  return model;
}

}  // namespace

std::vector<SmallModel> SmallModels(bool quick, DType dtype, std::optional<Bytes> cache) {
  std::vector<SmallModel> models;
  const std::size_t count = quick ? kQuickModels : kModels.size();
  models.reserve(count);
  for (std::size_t i = 0; i < count; ++i) models.push_back(Make(kModels[i], dtype, cache));
  return models;
}

std::vector<Pass> SmallPasses(bool quick) {
  std::vector<Pass> passes;
  const auto prefill = [&](std::int64_t batch, std::int64_t tokens) {
    passes.push_back({batch, tokens, tokens, false});
  };
  const auto decode = [&](std::int64_t batch, std::int64_t cached) {
    passes.push_back({batch, 1, cached + 1, false});
  };
  prefill(1, 32);
  prefill(1, 128);
  prefill(1, 256);
  decode(1, 128);
  decode(1, 1024);
  decode(4, 512);
  decode(16, 128);
  if (quick) return passes;
  prefill(1, 64);
  prefill(2, 96);
  decode(1, 512);
  decode(8, 256);
  return passes;
}

std::string NameOf(const Pass& pass) {
  if (pass.queries > 1) {
    return "prefill " + std::to_string(pass.batch) + " x " + std::to_string(pass.queries);
  }
  return "decode " + std::to_string(pass.batch) + " after " + std::to_string(pass.keys - 1);
}

}  // namespace roofcast::bench
