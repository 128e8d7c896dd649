// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// EXAONE 3 and 3.5 (a Llama with other names) and 4, which norms what comes out of attention and
// feed-forward, and queries and keys. Not in every file, and then as in the classes: embeddings of
// EXAONE 3 are tied, those of 4 not, and each fourth layer of 4 sees everything. Its pattern is a
// number, or one letter a layer (L: local, G: global), repeated, with a global layer last.
namespace roofcast {
namespace {

std::function<bool(std::int64_t)> ReadPattern(ConfigReader& text, std::int64_t layers) {
  constexpr std::string_view kKey = "sliding_window_pattern";
  const ConfigNode* node = text.Find(kKey);
  if (node == nullptr || node->kind != ConfigNode::Kind::kText) {
    const std::int64_t pattern = text.OptionalCount(kKey).value_or(4);  // 0: no layer slides
    return [=](std::int64_t i) { return pattern > 0 && (i + 1) % pattern != 0; };
  }
  const std::string letters = node->text;
  if (letters.empty() || letters.find_first_not_of("LG") != std::string::npos) {
    text.Complain(kKey, Quoted(*node) + " is not understood", "write a number, or letters L and G");
    return [](std::int64_t) { return false; };
  }
  return [=](std::int64_t i) {
    return i + 1 < layers && letters[static_cast<std::size_t>(i) % letters.size()] == 'L';
  };
}

}  // namespace

void ReadExaone(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", true);
  const std::int64_t layers = ReadLayerCount(text, {"num_layers", "num_hidden_layers"});
  Layer layer;
  layer.attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  AppendEqualLayers(text, llm, layers, layer);
}

void ReadExaone4(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  AttentionLayer attention = ReadGroupedAttention(text, llm, HeadDimRule::kDerived);
  attention.query_key_norm = QueryKeyNorm::kHead;
  const FfnLayer ffn = DenseFfn(text.Size("intermediate_size"));
  if (text.Find("sliding_window") == nullptr) {
    text.Missing("sliding_window", "add it: null if every token sees the whole prefix");
  }
  const auto window = text.OptionalSize({"sliding_window"});
  const auto slides = ReadPattern(text, layers);
  const auto kinds = ReadLayerTypes(text, layers, window.has_value(), slides);
  AppendLayers(text, llm, layers, [&](std::int64_t i) {
    Layer layer;
    layer.attention = WithKind(attention, kinds[static_cast<std::size_t>(i)], window.value_or(0));
    layer.ffn = ffn;
    return layer;
  });
}

}  // namespace roofcast
