// SPDX-License-Identifier: Apache-2.0
#include "models/llm/towers/encoder.h"
#include "models/llm/towers/towers.h"

// Gemma 4: gated layers with four RMSNorms and norms of the heads' queries and keys, two tables
// of positions (rows and columns), and a projector of one matrix. `standardize` adds a shift and
// a scale of the hidden size to what comes out.
namespace roofcast {

void AddGemma4Tower(ConfigReader& vision, ConfigReader& /*top*/, Llm& llm) {
  CheckTowerType(vision, {"gemma4_vision"});
  Encoder encoder = ReadEncoderSizes(vision);
  const std::int64_t hidden = encoder.hidden();
  const std::int64_t heads = vision.Size("num_attention_heads", kWidestTower);
  const std::int64_t head_dim = vision.Size("head_dim", 1'000);
  if (vision.ok() && heads != vision.Size("num_key_value_heads", kWidestTower)) {
    vision.Complain("num_key_value_heads", "is not num_attention_heads", "");
  }
  vision.Ignore({"global_head_dim", "pooling_kernel_size", "default_output_length"});
  for (const std::string_view key : {"attention_bias", "use_clipped_linears"}) {
    if (vision.Flag(key, false)) vision.Complain(key, "only false is understood", "");
  }
  encoder.layer.inner = heads * head_dim;
  encoder.layer.gated = true;
  encoder.layer.qkv_bias = false;
  encoder.layer.output_bias = false;
  encoder.layer.ffn_bias = false;
  encoder.layer.norms = 4;
  encoder.layer.norm_bias = false;
  encoder.layer.others = 2 * head_dim;
  const std::int64_t positions = vision.Size("position_embedding_size", 100'000'000);
  encoder.others = LinearParameters(ReadPatchInputs(vision), hidden, false) +
                   2 * positions * hidden + (vision.Flag("standardize", false) ? 2 * hidden : 0);
  AddTower(vision, llm, encoder.Parameters(), LinearParameters(hidden, llm.hidden, false));
}

}  // namespace roofcast
