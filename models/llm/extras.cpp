// SPDX-License-Identifier: Apache-2.0
#include "models/llm/extras.h"

#include <string>
#include <vector>

#include "core/text.h"
#include "models/llm/tensors.h"

namespace roofcast {
namespace {

constexpr const char* kScales = "scales";

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

bool ScalesAreParameters(const Quantisation& quantisation) {
  return quantisation.dtype != DType::kFp4;
}

void AddMtp(Llm& llm, const std::vector<Layer>& layers, std::int64_t copies, std::int64_t modules) {
  std::vector<Tensor> tensors;
  for (const Layer& layer : layers) {
    for (const Tensor& tensor : LayerTensors(layer, llm.hidden)) tensors.push_back(tensor);
  }
  const auto add = [&](std::int64_t outputs, std::int64_t inputs, std::int64_t count) {
    tensors.push_back({"", "", Part::kEmbedding, outputs, inputs, count});
  };
  add(llm.vocabulary, llm.hidden, copies);
  add(llm.hidden, 2 * llm.hidden, 1);  // the projection
  add(llm.hidden, 1, 3);               // the norms
  std::int64_t parameters = 0;
  std::int64_t scales = 0;
  Bytes bytes;
  for (const Tensor& tensor : tensors) {
    parameters += tensor.Parameters();
    scales += ScalesOf(llm, tensor);
    bytes += StoredBytes(llm, tensor);
  }
  llm.extra_parameters["mtp"] = modules * parameters;
  llm.extra_bytes["mtp"] = bytes * modules;
  if (llm.quantisation && ScalesAreParameters(*llm.quantisation)) {
    llm.extra_parameters[kScales] += modules * scales;
  }
}

}  // namespace

void AddMultiTokenPrediction(Llm& llm, std::int64_t modules) {
  AddMtp(llm, {llm.LayerAt(llm.LayerCount() - 1)}, /*copies=*/2, modules);
}

void AddSharedEndsPrediction(Llm& llm, const std::vector<Layer>& layers, std::int64_t modules) {
  AddMtp(llm, layers, /*copies=*/0, modules);
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

void AddPooler(Llm& llm) {
  const std::int64_t pooler = llm.hidden * llm.hidden + llm.hidden;
  llm.extra_parameters["pooler"] = pooler;
  llm.extra_bytes["pooler"] = BytesOf(llm.dtype) * pooler;
}

void AddScales(Llm& llm) {
  if (!llm.quantisation || !ScalesAreParameters(*llm.quantisation)) return;
  std::int64_t scales = 0;
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    for (const Tensor& tensor : LayerTensors(llm.LayerAt(i), llm.hidden)) {
      scales += ScalesOf(llm, tensor);
    }
  }
  llm.extra_parameters[kScales] += scales;
}

}  // namespace roofcast
