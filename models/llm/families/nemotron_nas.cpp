// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>
#include <vector>

#include "core/text.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Llama-Nemotron, pruned layer by layer (Puzzle). block_configs says of each layer how many query
// heads share a KV head, how wide the feed-forward part is (ffn_mult), and whether either is left
// out (no_op), as both may be, or attention is one square matrix (replace_with_linear, in
// Llama-3.1-Nemotron-51B). The width is 2/3 ffn_mult hidden_size, cut to a whole number and rounded
// up to 256, as in DeciLMConfig. num_key_value_heads and intermediate_size are null: no layer reads
// them. Not in every file, and then false: tie_word_embeddings, attention_bias and mlp_bias.
namespace roofcast {
namespace {

AttentionLayer ReadBlockAttention(ConfigReader& block, const AttentionLayer& whole) {
  AttentionLayer attention;
  ConfigReader* config = block.Inside("attention");
  if (config == nullptr) return attention;
  config->MakeStrict();
  const bool none = config->Flag("no_op", false);
  const bool linear = config->Flag("replace_with_linear", false);
  const auto share = config->OptionalSize({"n_heads_in_group"});
  if (none || linear) {
    attention.kind = none ? AttentionKind::kNone : AttentionKind::kLinear;
    attention.output_bias = linear && whole.output_bias;
    return attention;
  }
  attention = whole;
  if (!share) {
    config->Missing("n_heads_in_group", "add it: query heads that share a KV head");
  } else if (attention.heads % *share != 0) {
    config->Complain("n_heads_in_group",
                     "does not divide num_attention_heads " + std::to_string(attention.heads),
                     "");
  } else {
    attention.kv_heads = attention.heads / *share;
  }
  return attention;
}

FfnLayer ReadBlockFfn(ConfigReader& block, const Llm& llm, bool bias) {
  ConfigReader* config = block.Inside("ffn");
  if (config == nullptr) return {};
  config->MakeStrict();
  const ConfigNode* factor = config->Find("ffn_mult");
  if (config->Flag("replace_with_linear", false)) {
    config->Complain("replace_with_linear", "only false is understood", "");
  }
  if (config->Flag("no_op", false)) return {};
  if (factor == nullptr) {
    config->Missing("ffn_mult");
    return {};
  }
  constexpr double kLargest = 1000;
  const auto value =
      factor->kind == ConfigNode::Kind::kNumber ? ParseNumber(factor->text) : std::nullopt;
  if (!value || !(*value > 0) || *value > kLargest) {
    config->Complain("ffn_mult", Quoted(*factor) + " is no number from 0 to 1000", "");
    return {};
  }
  constexpr std::int64_t kMultiple = 256;
  const auto width = static_cast<std::int64_t>(2 * *value * static_cast<double>(llm.hidden) / 3);
  FfnLayer ffn = DenseFfn((width + kMultiple - 1) / kMultiple * kMultiple);
  ffn.bias = bias;
  return ffn;
}

}  // namespace

void ReadNemotronNas(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  for (const std::string_view key : {"num_key_value_heads", "intermediate_size"}) {
    if (text.Given(key)) text.Complain(key, "contradicts block_configs", "write null");
  }
  const std::int64_t heads = text.Size("num_attention_heads");
  AttentionLayer whole = EvenAttention(text, llm, heads, heads);
  whole.qkv_bias = text.Flag("attention_bias", false);
  whole.output_bias = whole.qkv_bias;
  const bool mlp_bias = text.Flag("mlp_bias", false);

  const auto blocks = text.Each("block_configs");
  if (text.ok() && static_cast<std::int64_t>(blocks.size()) != layers) {
    text.Complain(
        "block_configs",
        std::to_string(blocks.size()) + " entries for " + std::to_string(layers) + " layers",
        "give one entry a layer");
  }
  std::vector<Layer> table;
  table.reserve(blocks.size());
  for (ConfigReader* block : blocks) {
    block->MakeStrict();
    Layer& layer = table.emplace_back();
    layer.attention = ReadBlockAttention(*block, whole);
    layer.ffn = ReadBlockFfn(*block, llm, mlp_bias);
    // What is left out takes its norm along.
    layer.norms = (layer.attention.IsNone() ? 0 : 1) + (layer.ffn.IsNone() ? 0 : 1);
  }
  AppendLayers(
      text, llm, layers, [&](std::int64_t i) { return table[static_cast<std::size_t>(i)]; });
}

}  // namespace roofcast
