// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// Baichuan 1 and 2: a Llama whose heads are never grouped, without a key that says so. Embeddings
// are not tied unless the file says so. The 13B rotates nothing (ALiBi) and calls its length
// model_max_length; the normed head of Baichuan 2 is a matrix of the same size.
namespace roofcast {

void ReadBaichuan(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  const std::int64_t layers = ReadBackbone(text, llm, false);
  const auto length = text.OptionalSize({"model_max_length"});
  if (llm.max_length == 0) llm.max_length = length.value_or(0);
  Layer layer;
  const std::int64_t heads = text.Size("num_attention_heads");
  layer.attention = EvenAttention(text, llm, heads, heads);
  layer.ffn = DenseFfn(text.Size("intermediate_size"));
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
