// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "core/text.h"
#include "models/llm/towers/encoder.h"
#include "models/llm/towers/towers.h"

// InternVL: InternViT has a class token, learned positions and two learned scales a layer, and no
// norm after the layers; the projector is a norm over merged patches and two linear layers. Its
// own files (internvl_chat) and those of transformers (internvl) spell the keys in two ways.
namespace roofcast {
namespace {

// downsample_ratio 0.5: two by two patches become one.
std::int64_t ReadMerge(ConfigReader& top) {
  constexpr std::string_view kKey = "downsample_ratio";
  const ConfigNode* ratio = top.Find(kKey);
  if (ratio == nullptr) {
    top.Missing(kKey);
    return 1;
  }
  if (ratio->text == "0.5") return 2;
  if (ratio->text == "0.25") return 4;
  top.Complain(kKey, Quoted(*ratio) + " is not understood", "known: 0.5 or 0.25");
  return 1;
}

// Some files carry the keys of an InternViT with experts, switched off.
void RefuseExperts(ConfigReader& vision) {
  if (vision.Flag("use_moe", false)) {
    vision.Complain("use_moe", "only false is understood", "");
    return;
  }
  vision.Ignore({"num_experts",
                 "num_routed_experts",
                 "num_shared_experts",
                 "moe_intermediate_size",
                 "shared_expert_intermediate_size",
                 "moe_coeff_ratio",
                 "moe_output_scale",
                 "noisy_gate_policy"});
}

}  // namespace

void AddInternVlTower(ConfigReader& vision, ConfigReader& top, Llm& llm) {
  CheckTowerType(vision, {"intern_vit_6b", "internvl_vision"});
  Encoder encoder = ReadEncoderSizes(vision);
  const std::int64_t hidden = encoder.hidden();
  const std::string norm = vision.OptionalText({"norm_type"}).value_or("layer_norm");
  if (norm != "layer_norm" && norm != "rms_norm") {
    vision.Complain(
        "norm_type", Quoted(norm) + " is not understood", "known: layer_norm or rms_norm");
  }
  encoder.layer.norm_bias = norm == "layer_norm";
  const std::string_view bias = vision.Given("qkv_bias") ? "qkv_bias" : "attention_bias";
  if (!vision.Given(bias)) vision.Missing("qkv_bias");
  encoder.layer.qkv_bias = vision.Flag(bias, false);
  const bool head_norms =
      vision.Flag("qk_normalization", false) || vision.Flag("use_qk_norm", false);
  encoder.layer.others = 2 * hidden + (head_norms ? 2 * hidden : 0);
  for (const auto& [key, only] : {std::pair("use_absolute_position_embeddings", true),
                                  std::pair("use_mean_pooling", true),
                                  std::pair("use_mask_token", false)}) {
    if (vision.Flag(key, only) != only) {
      vision.Complain(key, std::string("only ") + (only ? "true" : "false") + " is understood", "");
    }
  }
  encoder.others =
      LinearParameters(ReadPatchInputs(vision), hidden, true) + (ReadPatches(vision) + 2) * hidden;
  RefuseExperts(vision);
  vision.Ignore({"layer_scale_init_value"});
  top.Ignore({"dynamic_image_size",
              "force_image_size",
              "select_layer",
              "vision_feature_layer",
              "projector_hidden_act"});
  const std::int64_t merge = ReadMerge(top);
  const std::int64_t merged = hidden * merge * merge;
  AddTower(vision,
           llm,
           encoder.Parameters(),
           2 * merged + LinearParameters(merged, llm.hidden, true) +
               LinearParameters(llm.hidden, llm.hidden, true));
}

}  // namespace roofcast
