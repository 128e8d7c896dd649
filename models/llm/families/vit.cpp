// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/llm/extras.h"
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

// The image encoder ViT. Not in every file, and then as in ViTConfig of transformers: three
// channels, and qkv_bias is true. Square patches of the image become tokens through one matrix; a
// learned token comes before them, and each place has a learned position. Norms come before
// attention and feed-forward, and there is a last one, all with biases.
namespace roofcast {

void ReadVit(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  constexpr std::int64_t kLargestImage = 10'000;
  llm.causal = false;
  llm.has_head = false;
  llm.hidden = text.Size("hidden_size");
  llm.final_norm_bias = true;
  const std::int64_t layers = ReadLayerCount(text);
  const std::int64_t patch = text.Size("patch_size", kLargestImage);
  const std::int64_t side = text.Size("image_size", kLargestImage) / patch;
  if (side == 0) text.Complain("patch_size", "larger than the image", "");
  const std::int64_t channels = text.OptionalSize({"num_channels"}).value_or(3);
  if (channels > 1000) text.Complain("num_channels", "more than 1000", "");
  llm.patch_inputs = std::min<std::int64_t>(channels, 1000) * patch * patch;
  llm.learned_positions = side * side + 1;
  llm.max_length = llm.learned_positions;
  const auto pooled = text.OptionalSize({"pooler_output_size"});
  if (text.ok() && pooled.value_or(llm.hidden) != llm.hidden) {
    text.Complain("pooler_output_size", "other than hidden_size is not understood", "");
  }
  text.Ignore({"encoder_stride"});  // of the head that paints masked patches

  Layer layer;
  const std::int64_t heads = text.Size("num_attention_heads");
  layer.attention = EvenAttention(text, llm, heads, heads);
  layer.attention.qkv_bias = text.Flag("qkv_bias", true);
  layer.attention.output_bias = true;
  layer.ffn = PlainFfn(text.Size("intermediate_size"), true);
  layer.norm_bias = true;
  if (AppendEqualLayers(text, llm, layers, layer)) AddPooler(llm);
}

}  // namespace roofcast
