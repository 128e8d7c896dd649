// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "models/llm/config_node.h"
#include "models/llm/config_reader.h"
#include "models/llm/parameters.h"
#include "models/llm/towers/towers.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::MessageOf;
using test::Parse;
using test::Plus;
using test::With;

namespace {

constexpr std::string_view kClip = R"("vision_config": {
    "hidden_size": 1024,
    "image_size": 336,
    "intermediate_size": 4096,
    "model_type": "clip_vision_model",
    "num_attention_heads": 16,
    "num_hidden_layers": 24,
    "patch_size": 14,
    "projection_dim": 768
  })";

// A language model of 4096 in a wrapper.
std::string Wrapped(std::string_view type, std::string_view vision) {
  return "{\n  \"model_type\": \"" + std::string(type) +
         "\",\n  \"text_config\": " + std::string(kLlama) + ",\n  " + std::string(vision) + "\n}";
}

constexpr std::string_view kQwen2Vl = R"({
  "model_type": "qwen2_vl",
  "hidden_size": 3584,
  "intermediate_size": 18944,
  "num_hidden_layers": 28,
  "num_attention_heads": 28,
  "num_key_value_heads": 4,
  "vocab_size": 152064,
  "use_sliding_window": false,
  "tie_word_embeddings": false,
  "vision_config": {
    "depth": 32,
    "embed_dim": 1280,
    "hidden_size": 3584,
    "in_chans": 3,
    "mlp_ratio": 4,
    "num_heads": 16,
    "patch_size": 14,
    "spatial_merge_size": 2,
    "spatial_patch_size": 14,
    "temporal_patch_size": 2
  }
})";

constexpr std::string_view kQwen3Tower = R"("vision_config": {
    "deepstack_visual_indexes": [8, 16, 24],
    "depth": 27,
    "hidden_size": 1152,
    "in_channels": 3,
    "intermediate_size": 4304,
    "model_type": "qwen3_vl",
    "num_heads": 16,
    "num_position_embeddings": 2304,
    "out_hidden_size": 4096,
    "patch_size": 16,
    "spatial_merge_size": 2,
    "temporal_patch_size": 2
  })";

std::string Qwen3Vl(std::string_view vision = kQwen3Tower) {
  std::string text = With(Wrapped("qwen3_vl", vision), "\"llama\"", "\"qwen3_vl_text\"");
  return With(text, "\"hidden_size\": 4096", "\"hidden_size\": 4096,\n  \"head_dim\": 128");
}

std::int64_t Extra(std::string_view text, const char* name) {
  return Parse(text).extra_parameters.at(name);
}

}  // namespace

TEST_CASE("CLIP: the published tower of LLaVA 1.5 and 1.6, all 24 layers of it") {
  // openai/clip-vit-large-patch14-336 has 303,507,456 parameters on its image side.
  CHECK(Extra(Wrapped("llava", kClip), "vision tower") == 303507456);
  CHECK(Extra(Wrapped("llava", kClip), "vision projector") == 20979712);
  // One vector more: what ends a row of an image.
  CHECK(Extra(Wrapped("llava_next", kClip), "vision projector") == 20979712 + 4096);
  const std::string early = Plus(Wrapped("llava", kClip), "\"vision_feature_layer\": -2");
  CHECK(Extra(early, "vision tower") == 303507456);
  const std::string two = Plus(Wrapped("llava", kClip), "\"vision_feature_layer\": [-2, -5]");
  CHECK(Extra(two, "vision projector") == 20979712 + std::int64_t{1024} * 4096);
  const std::string plain = Plus(Wrapped("llava", kClip), "\"multimodal_projector_bias\": false");
  CHECK(Extra(plain, "vision projector") == 20979712 - 2 * 4096);
}

TEST_CASE("a tower is stored in the dtype of the model") {
  const Llm llm = Parse(Plus(Wrapped("llava", kClip), "\"torch_dtype\": \"float32\""));
  CHECK(llm.extra_bytes.at("vision tower").value() == 4.0 * 303507456);
}

TEST_CASE("Qwen2-VL: the published total, from a file without text_config") {
  const ParameterCounts counts = CountParameters(Parse(kQwen2Vl));
  CHECK(counts.total == 7615616512);
  CHECK(counts.checkpoint_total == 8291375616);
  CHECK(MessageOf(With(
            kQwen2Vl, "\"hidden_size\": 3584,\n    \"in", "\"hidden_size\": 1280,\n    \"in")) ==
        "config.json:14:20: vision_config.hidden_size: 1280 is not hidden_size of the language "
        "model, 3584");
}

TEST_CASE("Qwen2.5-VL: the published total of the 3B model, whose embeddings are tied") {
  std::string text =
      With(kQwen2Vl, "\"embed_dim\": 1280,\n    \"hidden_size\": 3584", R"("hidden_size": 1280,
    "intermediate_size": 3420, "out_hidden_size": 2048, "window_size": 112,
    "fullatt_block_indexes": [7, 15, 23, 31])");
  text = With(With(text, "qwen2_vl", "qwen2_5_vl"), "    \"mlp_ratio\": 4,\n", "");
  text = With(With(text, "3584", "2048"), "18944", "11008");
  text = With(With(text, "layers\": 28", "layers\": 36"), "heads\": 28", "heads\": 16");
  text = With(With(text, "value_heads\": 4", "value_heads\": 2"), "152064", "151936");
  text = With(text, "embeddings\": false", "embeddings\": true");
  CHECK(CountParameters(Parse(text)).checkpoint_total == 3754622976);
}

TEST_CASE("Qwen3-VL: each deepstack layer adds a merger with a norm of merged patches") {
  const std::int64_t three = Extra(Qwen3Vl(), "vision projector");
  const std::string none = With(Qwen3Vl(), "[8, 16, 24]", "[]");
  const std::int64_t hidden = 1152;
  const std::int64_t merged = 4 * hidden;
  const std::int64_t merger = merged * merged + merged + merged * 4096 + 4096;
  CHECK(Extra(none, "vision projector") == merger + 2 * hidden);
  CHECK(three == 4 * merger + 2 * hidden + 6 * merged);
  CHECK(
      MessageOf(With(Qwen3Vl(), "[8, 16, 24]", "[8, 8]")).find("needs distinct layers below 27") !=
      std::string::npos);
  CHECK(MessageOf(With(Qwen3Vl(), "    \"deepstack_visual_indexes\": [8, 16, 24],\n", ""))
            .find("'deepstack_visual_indexes' is missing") != std::string::npos);
}

TEST_CASE("Qwen3.5: the published total of the 27B model less its text, MTP module included") {
  const std::string text = Wrapped(
      "qwen3_5",
      With(With(With(kQwen3Tower, "[8, 16, 24]", "[]"), "qwen3_vl", "qwen3_5"), "4096", "5120"));
  const ConfigNode root = ParseConfig(text, "config.json");
  std::vector<Problem> problems;
  ConfigReader top(root, "config.json", "", problems);
  Llm llm;
  llm.hidden = 5120;
  AddQwen35Tower(*top.Inside("vision_config"), top, llm);
  REQUIRE(problems.empty());
  CHECK(llm.extra_parameters.at("vision tower") + llm.extra_parameters.at("vision projector") ==
        27781427952 - 27320697856);
}

TEST_CASE("Kimi K2.5: tower and projector are the published list of tensors") {
  const std::string text = Wrapped("kimi_k25", R"("vision_config": {
    "init_pos_emb_height": 64,
    "init_pos_emb_time": 4,
    "init_pos_emb_width": 64,
    "merge_kernel_size": [2, 2],
    "mm_hidden_size": 1152,
    "mm_projector_type": "patchmerger",
    "patch_size": 14,
    "text_hidden_size": 4096,
    "vt_hidden_size": 1152,
    "vt_intermediate_size": 4304,
    "vt_num_attention_heads": 16,
    "vt_num_hidden_layers": 27
  })");
  // wqkv, wo, fc0 and fc1 with biases and two norms a block; positions, patches and a last norm.
  const std::int64_t h = 1152;
  const std::int64_t w = 4304;
  const std::int64_t block = 3 * h * h + 3 * h + h * h + h + 2 * w * h + w + h + 4 * h;
  CHECK(Extra(text, "vision tower") == 27 * block + 4096 * h + 588 * h + h + 2 * h);
  const std::int64_t m = 4 * h;
  CHECK(Extra(text, "vision projector") == 2 * h + m * m + m + 4096 * m + 4096);
  // The published checkpoint stores 170,738,182,128 numbers: the experts' 1,014,686,023,680 packed
  // by eights, a scale for each 32, two sizes for each of 69,120 matrices, 11,722,208,768 others of
  // the language model, and these.
  std::string wide = With(With(text, "\"hidden_size\": 4096", "\"hidden_size\": 7168"),
                          "32,\n  \"num_key",
                          "56,\n  \"num_key");
  wide = With(wide, "text_hidden_size\": 4096", "text_hidden_size\": 7168");
  CHECK(Extra(wide, "vision tower") + Extra(wide, "vision projector") ==
        170738182128 - 1014686023680 / 8 - 1014686023680 / 32 - 138240 - 11722208768);
  CHECK(MessageOf(With(text, "\"patchmerger\"", "\"mlp\"")).find("known: patchmerger") !=
        std::string::npos);
}

TEST_CASE("InternVL: both spellings of the keys describe one tower") {
  const std::string_view ours = R"("vision_config": {
    "hidden_size": 1024,
    "image_size": 448,
    "intermediate_size": 4096,
    "model_type": "intern_vit_6b",
    "num_attention_heads": 16,
    "num_hidden_layers": 24,
    "patch_size": 14,
    "qk_normalization": false,
    "qkv_bias": true,
    "use_moe": false,
    "num_routed_experts": 4
  },
  "downsample_ratio": 0.5)";
  const std::string theirs =
      With(With(With(With(ours, "intern_vit_6b", "internvl_vision"), "448", "[448, 448]"),
                "\"qk_normalization\"",
                "\"use_qk_norm\""),
           "qkv_bias",
           "attention_bias");
  CHECK(Extra(Wrapped("internvl", ours), "vision tower") == 304012288);
  CHECK(Extra(Wrapped("internvl", theirs), "vision tower") == 304012288);
  CHECK(MessageOf(Wrapped("internvl", With(ours, "0.5", "0.3"))).find("known: 0.5 or 0.25") !=
        std::string::npos);
  CHECK(MessageOf(Wrapped("internvl", With(ours, "use_moe\": false", "use_moe\": true")))
            .find("use_moe: only false is understood") != std::string::npos);
}

TEST_CASE("an encoder that nobody knows is refused by its name") {
  CHECK(MessageOf(With(Wrapped("llava", kClip), "clip_vision_model", "dinov2")) ==
        "config.json:16:19: vision_config.model_type: 'dinov2' is not understood; known: "
        "clip_vision_model, pixtral or siglip_vision_model");
  CHECK(MessageOf(With(Qwen3Vl(), "\"qwen3_vl\",\n    \"num_heads", "\"siglip\",\n    \"num_heads"))
            .find("vision_config.model_type: 'siglip' is not understood") != std::string::npos);
}

TEST_CASE("what a tower needs is never made up, and what it has is never passed over") {
  const std::string text = Wrapped("llava", kClip);
  CHECK(MessageOf(With(text, "    \"image_size\": 336,\n", "")) ==
        "config.json:12:20: vision_config: 'image_size' is missing; add it");
  CHECK(MessageOf(With(text, "\"projection_dim\": 768", "\"num_registers\": 4"))
            .find("vision_config.num_registers: not understood") != std::string::npos);
  CHECK(MessageOf(Plus(text, "\"audio_config\": {\"d_model\": 8}"))
            .find("audio_config: not understood") != std::string::npos);
}

TEST_CASE("sizes of a tower are bounded, so that no sum overflows") {
  const std::string text = Wrapped("llava", kClip);
  CHECK(MessageOf(With(text, "\"hidden_size\": 1024", "\"hidden_size\": 100001"))
            .find("the most allowed") != std::string::npos);
  CHECK(MessageOf(With(text, "\"patch_size\": 14", "\"patch_size\": [14]"))
            .find("needs two numbers from 1 to 1000") != std::string::npos);
}

}  // namespace roofcast
