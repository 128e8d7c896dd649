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

void AddMtp(Llm& llm, std::vector<Layer> layers, std::int64_t copies, std::int64_t modules) {
  llm.mtp_layers = std::move(layers);
  llm.mtp_copies = copies;
  llm.mtp_modules = modules;
  std::int64_t parameters = 0;
  for (const Tensor& tensor : MtpTensors(llm)) parameters += tensor.Parameters();
  llm.extra_parameters["mtp"] = modules * parameters;
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
