// SPDX-License-Identifier: Apache-2.0
#include "models/llm/extras.h"

#include <string>
#include <vector>

#include "core/text.h"
#include "models/llm/tensors.h"

namespace roofcast {
namespace {

// transformers_version as 100 * major + minor: "4.31.0.dev0" -> 431.
std::optional<std::int64_t> ReadVersion(ConfigReader& text) {
  const auto version = text.OptionalText({"transformers_version"});
  if (!version) return std::nullopt;
  const auto parts = Split(*version, '.');
  const auto major = ParseInteger(parts[0]);
  const auto minor = parts.size() > 1 ? ParseInteger(parts[1]) : std::nullopt;
  if (!major || !minor || *major < 0 || *major > 1000 || *minor < 0 || *minor > 99) {
    return std::nullopt;
  }
  return 100 * *major + *minor;
}

}  // namespace

void AddMultiTokenPrediction(Llm& llm, std::int64_t modules) {
  llm.mtp_modules = modules;
  std::int64_t parameters = 0;
  for (const Tensor& tensor : MtpTensors(llm)) parameters += tensor.Parameters();
  llm.extra_parameters["mtp"] = modules * parameters;
}

bool StoresRotaryBuffers(ConfigReader& text, const Llm& llm) {
  if (const auto version = ReadVersion(text)) return *version < 432;
  return llm.vocabulary == 32'000 && llm.max_length == 4096;
}

void AddRotaryBuffers(Llm& llm) {
  std::int64_t values = 0;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    values += llm.LayerAt(i).attention.head_dim / 2;
  }
  llm.extra_parameters["rotary buffers"] = values;
  llm.extra_bytes["rotary buffers"] = BytesOf(DType::kFp32) * values;
}

void AddSiglipTower(ConfigReader& top, Llm& llm) {
  constexpr std::int64_t kLargest = 1'000'000;  // keeps every product below within 64 bits
  ConfigReader* vision = top.Inside("vision_config");
  if (vision == nullptr) return;
  const auto type = vision->OptionalText({"model_type"});
  if (type.value_or("siglip_vision_model") != "siglip_vision_model") {
    vision->Complain(
        "model_type", Quoted(*type) + " is not understood", "known: siglip_vision_model");
  }
  const std::int64_t hidden = vision->Size("hidden_size", kLargest);
  const std::int64_t width = vision->Size("intermediate_size", kLargest);
  const std::int64_t layers = vision->Size("num_hidden_layers", 10'000);
  const std::int64_t image = vision->Size("image_size", 10'000);
  const std::int64_t patch = vision->Size("patch_size", 1'000);
  // SiglipVisionConfig: three channels unless the file says otherwise; heads don't change shapes.
  const std::int64_t channels = vision->OptionalSize({"num_channels"}).value_or(3);
  vision->Ignore({"num_attention_heads"});
  if (vision->Flag("vision_use_head", true)) {
    vision->Complain("vision_use_head", "only false is understood", "");
  }
  if (!vision->ok()) return;
  if (channels > kLargest) {
    vision->Complain("num_channels", "more than " + std::to_string(kLargest), "");
    return;
  }

  const std::int64_t patches = (image / patch) * (image / patch);
  const std::int64_t embedding = hidden * channels * patch * patch + hidden + patches * hidden;
  const std::int64_t attention = 4 * (hidden * hidden + hidden);
  const std::int64_t ffn = 2 * hidden * width + width + hidden;
  const std::int64_t norm = 2 * hidden;  // LayerNorm: weight and bias
  const std::int64_t tower = embedding + layers * (attention + ffn + 2 * norm) + norm;
  const std::int64_t projector = hidden * llm.hidden + hidden;  // and an RMSNorm before it
  llm.extra_parameters["vision tower"] = tower;
  llm.extra_parameters["vision projector"] = projector;
  llm.extra_bytes["vision tower"] = BytesOf(llm.dtype) * tower;
  llm.extra_bytes["vision projector"] = BytesOf(llm.dtype) * projector;
}

void AddStoredExtras(Llm& llm) {
  std::int64_t scales = 0;
  const auto counts = llm.KindCounts(0, llm.LayerCount());
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    for (const Tensor& tensor : LayerTensors(llm.kinds[kind], llm.hidden)) {
      scales += counts[kind] * ScalesOf(llm, tensor);
    }
  }
  for (const Tensor& tensor : HeadTensors(llm)) scales += ScalesOf(llm, tensor);
  if (llm.mtp_modules > 0) {
    Bytes bytes;
    for (const Tensor& tensor : MtpTensors(llm)) {
      scales += llm.mtp_modules * ScalesOf(llm, tensor);
      bytes += StoredBytes(llm, tensor);
    }
    llm.extra_bytes["mtp"] = bytes * llm.mtp_modules;
  }
  if (scales > 0) llm.extra_parameters["scales"] += scales;
}

}  // namespace roofcast
