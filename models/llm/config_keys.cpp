// SPDX-License-Identifier: Apache-2.0
#include "models/llm/config_keys.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/text.h"

namespace roofcast {
namespace {

using std::string_view_literals::operator""sv;

// clang-format off
// Words, between underscores and without a plural's s, of keys that set a shape in one published
// model or another.
constexpr std::array kShapeWords = {
    "size"sv, "dim"sv, "rank"sv, "width"sv, "depth"sv, "num"sv, "n"sv, "head"sv, "layer"sv,
    "block"sv, "expert"sv, "bias"sv, "hidden"sv, "vocab"sv, "ffn"sv, "mlp"sv, "moe"sv, "kv"sv,
    "window"sv, "pattern"sv, "interval"sv, "step"sv, "freq"sv, "mtp"sv, "nextn"sv, "mamba"sv,
    "ssm"sv, "conv"sv, "linear"sv, "group"sv, "channel"sv, "topk"sv, "lora"sv, "shared"sv,
    "tie"sv, "tied"sv, "config"sv, "norm"sv, "sink"sv, "chunk"sv, "dense"sv, "sparse"sv,
    "encoder"sv, "decoder"sv, "query"sv, "index"sv, "indexer"sv, "intermediate"sv,
    "layernorm"sv, "gate"sv, "cross"sv, "learned"sv, "model"sv, "ff"sv, "parallel"sv,
    "router"sv, "laurel"sv, "altup"sv, "quantization"sv,
};
// clang-format on

// Keys with such a word that leave every shape alone.
constexpr std::array kHarmless = {
    // What tokens mean: ids, and how many of them stand for an image.
    "boi_token_index"sv,
    "eoi_token_index"sv,
    "eoa_token_index"sv,
    "image_token_index"sv,
    "ignore_index"sv,
    "decoder_start_token_id"sv,
    // Settings of text generation, which old versions of transformers wrote into the file.
    "num_beams"sv,
    "num_beam_groups"sv,
    "num_return_sequences"sv,
    "no_repeat_ngram_size"sv,
    "encoder_no_repeat_ngram_size"sv,
    "num_logits_to_keep"sv,
    "generation_config"sv,
    // How images are cut up before the tower.
    "image_processor_config"sv,
    // Numerics, activation functions and scalings of existing tensors.
    "rms_norm_eps"sv,
    "layer_norm_eps"sv,
    "layer_norm_epsilon"sv,
    "layernorm_epsilon"sv,
    "norm_eps"sv,
    "norm_epsilon"sv,
    "hidden_act"sv,
    "hidden_activation"sv,
    "mlp_hidden_act"sv,
    "projector_hidden_act"sv,
    "query_pre_attn_scalar"sv,
    "rope_local_base_freq"sv,
    // Training: losses, dropout and what forward() returns.
    "hidden_dropout"sv,
    "hidden_dropout_prob"sv,
    "output_hidden_states"sv,
    "expert_capacity_factor"sv,
    "output_router_logits"sv,
    "router_aux_loss_coef"sv,
    "router_jitter_noise"sv,
    "router_z_loss_coef"sv,
    // Names of classes.
    "model_type"sv,
    "AutoConfig"sv,
    "AutoModel"sv,
    "AutoModelForCausalLM"sv,
    "AutoModelForMaskedLM"sv,
    // How it was trained or is run; the tensors are the same.
    "chunk_size_feed_forward"sv,
    "ep_size"sv,
    "is_decoder"sv,
    "tie_encoder_decoder"sv,
    "initial_context_length"sv,
    // Choice among experts that are there anyway.
    "norm_topk_prob"sv,
    "topk_group"sv,
    "topk_method"sv,
    "n_group"sv,
    // Heads of other tasks; architectures says which head this file has.
    "num_labels"sv,
};

}  // namespace

bool IsHarmless(std::string_view key) {
  return std::find(kHarmless.begin(), kHarmless.end(), key) != kHarmless.end();
}

bool MayShapeTheModel(std::string_view key) {
  if (key.starts_with('_')) return false;  // notes of tools: _name_or_path, _commit_hash
  if (IsHarmless(key)) return false;
  const auto shapes = [](std::string_view word) {
    return std::find(kShapeWords.begin(), kShapeWords.end(), word) != kShapeWords.end();
  };
  // Keys of other hands: hiddenSize, hidden-size, HIDDEN_SIZE.
  std::string folded;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const bool upper = key[i] >= 'A' && key[i] <= 'Z';
    const bool after_lower = i > 0 && key[i - 1] >= 'a' && key[i - 1] <= 'z';
    if (upper && after_lower) folded += '_';
    folded += key[i] == '-' ? '_' : upper ? static_cast<char>(key[i] - 'A' + 'a') : key[i];
  }
  for (const std::string& word : Split(folded, '_')) {
    if (shapes(word)) return true;
    if (word.ends_with('s') && shapes(word.substr(0, word.size() - 1))) return true;
  }
  return false;
}

bool IsOff(const ConfigNode& value) {
  switch (value.kind) {
    case ConfigNode::Kind::kNull:
      return true;
    case ConfigNode::Kind::kBool:
      return value.text == "false";
    case ConfigNode::Kind::kNumber:
      return value.text.find_first_not_of("-0.") == std::string::npos;
    case ConfigNode::Kind::kText:
      return value.text.empty();
    case ConfigNode::Kind::kList:
      return value.items.empty();
    case ConfigNode::Kind::kMap:
      return value.entries.empty();
  }
  return false;
}

}  // namespace roofcast
