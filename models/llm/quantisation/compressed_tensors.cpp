// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "core/text.h"
#include "models/llm/quantisation/rules.h"

// compressed-tensors, what llm-compressor writes. Layouts: the compressors of that library; scales
// lie in the dtype of the model, except where a format says otherwise.
namespace roofcast::internal {
namespace {

constexpr std::string_view kFormats =
    "known: pack-quantized, float-quantized, int-quantized, naive-quantized, mxfp8-quantized, "
    "nvfp4-pack-quantized, mxfp4-pack-quantized, or mixed-precision with a format in each group";

bool IsKnownFormat(std::string_view format) {
  return kFormats.find(" " + std::string(format) + ",") != std::string_view::npos;
}

// Blocks that share a scale, by `strategy`.
void ReadStrategy(ConfigReader& weights, MatrixFormat& format) {
  const std::string strategy = weights.OptionalText({"strategy"}).value_or("");
  const auto block = weights.Counts("block_structure");
  const auto group = weights.OptionalSize({"group_size"});
  if (strategy == "channel") {
    format.block_rows = 1;
  } else if ((strategy == "group" || strategy == "tensor_group") && group) {
    format.block_rows = 1;
    format.block_columns = *group;
    format.whole_groups = true;
  } else if (strategy == "block" && block.size() == 2 && block[0] > 0 && block[1] > 0) {
    format.block_rows = block[0];
    format.block_columns = block[1];
  } else if (strategy != "tensor") {
    weights.Complain("strategy",
                     Quoted(strategy) + " is not understood",
                     "known: tensor, channel, group with a group_size, or block with a "
                     "block_structure");
  }
}

MatrixFormat FormatOf(ConfigReader& weights, const std::string& written, DType dtype) {
  MatrixFormat format;
  format.scale_dtype = dtype;
  format.matrix_scale_dtype = dtype;
  const std::int64_t bits = weights.Size("num_bits", 64);
  const std::string type = weights.OptionalText({"type"}).value_or("");
  ReadStrategy(weights, format);
  if (type != "int" && type != "float") {
    weights.Complain("type", Quoted(type) + " is not understood", "known: float or int");
  } else if (bits != 8 && bits != 4) {
    weights.Complain(
        "num_bits", std::to_string(bits) + " bits are not understood", "known: 4 or 8");
  }
  format.bits = bits == 4 ? 4 : 8;
  const std::string width = std::to_string(format.bits);
  format.zero_points = type == "int" && !weights.Flag("symmetric", true);
  if (written == "pack-quantized") {
    format.packing = MatrixFormat::Packing::kWords;
    format.shape_numbers = 2;
    format.input_order = weights.OptionalText({"actorder"}) == "group";
  }
  if (type == "int") {
    format.name = "int" + width;
    format.dtype = format.bits == 4 ? DType::kInt4 : DType::kInt8;
    if (format.bits == 4 && written != "pack-quantized") {
      // Without packing each number takes a byte.
      weights.Complain("num_bits", "4-bit integers are understood as pack-quantized alone", "");
    }
  } else if (format.bits == 8) {
    format.name = "fp8";
    format.scales_are_exponents = written == "mxfp8-quantized";
    if (format.scales_are_exponents) format.scale_dtype = DType::kFp8;
  } else {
    // Two numbers a byte; 16 share an 8-bit float and 32 an exponent.
    const bool exponents = written == "mxfp4-pack-quantized" ||
                           (written != "nvfp4-pack-quantized" && format.block_columns == 32);
    format.name = exponents ? "mxfp4" : "nvfp4";
    format.dtype = DType::kFp4;
    format.packing = MatrixFormat::Packing::kBytes;
    format.scale_dtype = DType::kFp8;
    format.scales_are_exponents = exponents;
    format.matrix_scales = exponents ? 0 : 1;
    format.matrix_scale_dtype = DType::kFp32;
    if (format.block_columns == 0) weights.Complain("group_size", "is needed for 4-bit floats", "");
  }
  weights.Ignore({"actorder", "dynamic", "observer", "observer_kwargs", "scale_dtype", "zp_dtype"});
  return format;
}

// Scales of the inputs are stored unless each pass works them out.
bool StoresInputScale(ConfigReader& group, const MatrixFormat& format) {
  if (!group.Given("input_activations")) return false;
  ConfigReader* inputs = group.Inside("input_activations");
  if (inputs == nullptr) return false;
  // true, false, or "local": scales of groups are worked out, that of the tensor is stored.
  for (const std::string& name : inputs->NamesInside()) inputs->Find(name);  // no tensor's shape
  const ConfigNode* dynamic = inputs->Find("dynamic");
  const bool worked_out = dynamic != nullptr && dynamic->text == "true";
  return !worked_out && (format.dtype != DType::kFp4 || !format.scales_are_exponents);
}

void ReadTargets(ConfigReader& config, RuleGroup& group) {
  const auto targets = config.Texts({"targets"});
  if (targets.empty()) config.Complain("targets", "names no module", "write Linear for all");
  group.all = false;
  for (const std::string& target : targets) {
    if (target == "Linear") {
      group.all = true;
    } else if (auto pattern = ModulePattern::Parse(target)) {
      group.targets.push_back(*std::move(pattern));
    } else {
      config.Complain("targets", Quoted(target) + " is not understood", "known: Linear or names");
    }
  }
}

}  // namespace

QuantisationRules ReadCompressedTensors(ConfigReader& config, DType dtype) {
  QuantisationRules rules;
  rules.method = "compressed-tensors";
  rules.with_head = true;
  ReadExclusions(config, {"ignore"}, rules);
  ReadKvScheme(config, rules);
  config.Ignore({"quantization_status", "version", "global_compression_ratio"});
  const std::string written = config.OptionalText({"format"}).value_or("");
  ConfigReader* groups = config.Inside("config_groups");
  if (groups == nullptr) return rules;
  for (const std::string& name : groups->NamesInside()) {
    ConfigReader* reader = groups->Inside(name);
    ConfigReader* weights = reader == nullptr ? nullptr : reader->Inside("weights");
    if (weights == nullptr) continue;
    groups->MakeStrict();
    reader->MakeStrict();
    weights->MakeStrict();
    const std::string format = reader->OptionalText({"format"}).value_or(written);
    if (!format.empty() && !IsKnownFormat(format)) {
      config.Complain("format", Quoted(format) + " is not understood", std::string(kFormats));
    }
    RuleGroup group;
    group.format = FormatOf(*weights, format, dtype);
    group.reader = weights;
    if (StoresInputScale(*reader, group.format)) ++group.format.matrix_scales;
    ReadTargets(*reader, group);
    reader->Ignore({"output_activations"});
    rules.groups.push_back(std::move(group));
  }
  if (rules.groups.empty() && config.ok()) {
    config.Complain("config_groups", "has no group", "add one, with targets and weights");
  }
  return rules;
}

}  // namespace roofcast::internal
