// SPDX-License-Identifier: Apache-2.0
#include "models/llm/gguf.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "core/error.h"
#include "models/llm/quantisation/apply.h"
#include "models/llm/tensors.h"

namespace roofcast::internal {
namespace {

struct Mixture {
  std::string_view name;
  DType base;
};

constexpr std::array kMixtures = {
    Mixture{"f16", DType::kFp16},
    Mixture{"q8_0", DType::kQ8v0},
    Mixture{"q6_k", DType::kQ6K},
    Mixture{"q5_k_m", DType::kQ5K},
    Mixture{"q5_k_s", DType::kQ5K},
    Mixture{"q5_0", DType::kQ5v0},
    Mixture{"q4_k_m", DType::kQ4K},
    Mixture{"q4_k_s", DType::kQ4K},
    Mixture{"q4_0", DType::kQ4v0},
    Mixture{"iq4_nl", DType::kIq4Nl},
    Mixture{"iq4_xs", DType::kIq4Xs},
    Mixture{"q3_k_l", DType::kQ3K},
    Mixture{"q3_k_m", DType::kQ3K},
    Mixture{"q3_k_s", DType::kQ3K},
    Mixture{"q2_k", DType::kQ2K},
};

// Families whose queries, keys and values are one tensor there.
constexpr std::array<std::string_view, 7> kFusedQkv = {
    "bloom", "gpt2", "gpt_neox", "mpt", "phi", "phi3", "starcoder"};

// A format whose blocks divide rows of `inputs`.
DType Fitting(DType dtype, std::int64_t inputs) {
  if (inputs % BlockOf(dtype) == 0) return dtype;
  DType next = DType::kFp16;
  if (dtype == DType::kIq4Xs) next = DType::kIq4Nl;
  if (dtype == DType::kQ2K || dtype == DType::kQ3K) next = DType::kQ4v0;
  if (dtype == DType::kQ4K) next = DType::kQ5v0;
  if (dtype == DType::kQ5K) next = DType::kQ5v1;
  if (dtype == DType::kQ6K) next = DType::kQ8v0;
  return inputs % BlockOf(next) == 0 ? next : DType::kFp16;
}

// The first and the last eighth, and every third of the others.
bool TakesMoreBits(std::int64_t i, std::int64_t n) {
  return i < n / 8 || i >= 7 * n / 8 || (i - n / 8) % 3 == 2;
}

class Chooser {
 public:
  Chooser(const WeightRecipe& recipe, const Llm& llm) : name_(recipe.name), base_(recipe.dtype) {
    tied_ = llm.tied_embeddings;
    layers_ = llm.LayerCount();
    fused_ = std::find(kFusedQkv.begin(), kFusedQkv.end(), llm.model_type) != kFusedQkv.end();
    for (std::int64_t i = 0; i < layers_; ++i) {
      const Layer& layer = llm.LayerAt(i);
      const AttentionLayer& attention = layer.attention;
      experts_ = std::max(experts_, layer.ffn.experts);
      attention_.push_back(attention_count_);
      ffn_.push_back(ffn_count_);
      if (!attention.IsNone()) {
        ++attention_count_;
        shared_ = attention.heads / std::max<std::int64_t>(1, attention.kv_heads);
      }
      if (!layer.ffn.IsNone()) ++ffn_count_;
    }
    // What llama.cpp calls a 70B model: 80 layers with shared keys of these families.
    const bool family = llm.model_type == "llama" || llm.model_type == "mistral";
    is_70b_ = layers_ == 80 && ((family && shared_ > 1) || llm.model_type == "qwen2");
  }

  DType For(std::int64_t layer, const Tensor& tensor) const {
    return Fitting(Wanted(std::min(layer, layers_ - 1), tensor), tensor.inputs);
  }

 private:
  bool Is(std::string_view name) const { return name_ == name; }

  DType Wanted(std::int64_t layer, const Tensor& tensor) const {
    const bool table = tensor.name == "tokens";
    const bool head = tensor.name == "head";
    if (layer < 0 && !table && !head) return DType::kFp32;
    if (layer >= 0 && (tensor.gemm.empty() || tensor.part == Part::kRouter)) return DType::kFp32;
    if (!IsBlockDType(base_)) return base_;
    if (head || (table && tied_)) return base_ == DType::kQ8v0 ? base_ : DType::kQ6K;
    if (table) return base_;
    if (tensor.part == Part::kAttention) return Attention(layer, tensor);
    const bool down =
        tensor.name == "down" || tensor.name == "expert_down" || tensor.name == "shared_down";
    return down ? Down(layer) : base_;
  }

  DType Attention(std::int64_t layer, const Tensor& tensor) const {
    const bool query_or_key = tensor.name == "q" || tensor.name == "k";
    if (tensor.name == "v" || tensor.name == "kv_b" || (fused_ && query_or_key)) {
      return Value(attention_[static_cast<std::size_t>(layer)]);
    }
    if (tensor.name == "k" && experts_ == 8) return DType::kQ8v0;
    return tensor.name == "o" ? Output() : base_;
  }

  DType Value(std::int64_t i) const {
    DType dtype = base_;
    if (Is("q2_k")) dtype = shared_ >= 4 ? DType::kQ4K : DType::kQ3K;
    if (Is("q3_k_m")) dtype = i < 2 ? DType::kQ5K : DType::kQ4K;
    if (Is("q3_k_l")) dtype = DType::kQ5K;
    if ((Is("iq4_nl") || Is("iq4_xs")) && shared_ >= 4) dtype = DType::kQ5K;
    if ((Is("q4_k_m") || Is("q5_k_m")) && TakesMoreBits(i, attention_count_)) dtype = DType::kQ6K;
    if (Is("q4_k_s") && i < 4) dtype = DType::kQ5K;
    if (is_70b_ && (dtype == DType::kQ3K || dtype == DType::kQ4K)) dtype = DType::kQ5K;
    return experts_ == 8 ? DType::kQ8v0 : dtype;
  }

  DType Output() const {
    if (experts_ == 8) {
      const bool narrow = base_ != DType::kQ8v0 && base_ != DType::kQ6K && base_ != DType::kQ5K &&
                          base_ != DType::kQ5v0 && base_ != DType::kQ4v0 && !Is("q3_k_l");
      return narrow ? DType::kQ5K : base_;
    }
    if (Is("q2_k")) return DType::kQ3K;
    if (Is("q3_k_m")) return DType::kQ4K;
    return Is("q3_k_l") ? DType::kQ5K : base_;
  }

  DType Down(std::int64_t layer) const {
    const std::int64_t i = experts_ > 1 ? layer : ffn_[static_cast<std::size_t>(layer)];
    if (Is("q2_k")) return DType::kQ3K;
    if (Is("q3_k_m")) return i < layers_ / 16 ? DType::kQ5K : DType::kQ4K;
    if (Is("q3_k_l")) return DType::kQ5K;
    if ((Is("q4_k_m") || Is("q5_k_m")) && TakesMoreBits(i, layers_)) return DType::kQ6K;
    return Is("q4_k_s") && i < layers_ / 8 ? DType::kQ5K : base_;
  }

  std::string_view name_;
  DType base_;
  bool tied_ = false;
  bool fused_ = false;
  bool is_70b_ = false;
  std::int64_t layers_ = 0;
  std::int64_t experts_ = 0;
  std::int64_t shared_ = 1;  // query heads that share one of keys
  std::int64_t attention_count_ = 0;
  std::int64_t ffn_count_ = 0;
  std::vector<std::int64_t> attention_;  // layers with attention before each
  std::vector<std::int64_t> ffn_;        // layers with an FFN before each
};

}  // namespace

std::vector<WeightRecipe> GgufRecipes() {
  std::vector<WeightRecipe> recipes;
  recipes.reserve(kMixtures.size());
  for (const Mixture& mixture : kMixtures) {
    recipes.push_back(
        {mixture.name,
         mixture.base,
         "the formats that llama-quantize gives each tensor in a GGUF file of that name",
         true});
  }
  return recipes;
}

void StoreAsGguf(const WeightRecipe& recipe, Llm& llm) {
  if (llm.model_type == "falcon") {
    throw ArgumentError("weights=" + std::string(recipe.name) +
                        ": how llama.cpp stores a falcon model so is not understood; use a number "
                        "format");
  }
  const Chooser chooser(recipe, llm);
  Quantisation quantisation;
  quantisation.method = "gguf " + std::string(recipe.name);
  std::map<DType, std::int32_t> known;
  const auto index_of = [&](std::int64_t layer, const Tensor& tensor) {
    return known.find(chooser.For(layer, tensor));
  };
  // All formats first: StoreBy takes indices.
  const auto collect = [&](std::int64_t layer, const std::vector<Tensor>& tensors) {
    for (const Tensor& tensor : tensors) {
      const DType dtype = chooser.For(layer, tensor);
      const auto next = static_cast<std::int32_t>(quantisation.formats.size());
      if (known.try_emplace(dtype, next).second) quantisation.formats.push_back(PlainFormat(dtype));
    }
  };
  collect(-1, EmbeddingTensors(llm));
  collect(-1, HeadTensors(llm));
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    collect(i, LayerTensors(llm.LayerAt(i), llm.hidden));
  }
  StoreBy(
      std::move(quantisation),
      [&](std::int64_t layer, const Tensor& tensor) -> std::optional<std::int32_t> {
        const auto found = index_of(layer, tensor);
        return found == known.end() ? std::nullopt : std::optional(found->second);
      },
      llm);
  llm.quantisation->formats[static_cast<std::size_t>(llm.quantisation->main)].name = recipe.name;
}

}  // namespace roofcast::internal
