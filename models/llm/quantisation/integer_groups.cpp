// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "core/text.h"
#include "models/llm/quantisation/rules.h"

// AWQ and GPTQ: whole numbers of few bits with a 16-bit scale and a zero point for each group of
// inputs, packed into 32-bit words. Layouts: the linear layers of AutoAWQ and of GPTQModel, which
// register qweight, qzeros, scales (and g_idx) whatever zero_point, sym and desc_act say.
namespace roofcast::internal {
namespace {

// "-1" inputs are one group: all of them.
std::int64_t ReadGroupSize(ConfigReader& config, std::int64_t when_absent) {
  const ConfigNode* node = config.Find("group_size");
  if (node != nullptr && node->text == "-1") return 0;
  return config.OptionalSize({"group_size"}).value_or(when_absent);
}

int ReadBits(ConfigReader& config, ConfigReader::Keys keys, std::initializer_list<int> known) {
  const auto bits = static_cast<int>(config.Size(keys, 64));
  if (std::find(known.begin(), known.end(), bits) != known.end() || !config.ok()) return bits;
  std::vector<std::string> words;
  for (const int each : known) words.push_back(std::to_string(each));
  config.Complain(*keys.begin(),
                  std::to_string(bits) + " bits are not understood",
                  "known: " + JoinWithOr(words));
  return bits;
}

MatrixFormat PackedIntegers(int bits, std::int64_t group) {
  MatrixFormat format;
  format.name = "int" + std::to_string(bits);
  format.dtype = bits <= 4 ? DType::kInt4 : DType::kInt8;
  format.packing = MatrixFormat::Packing::kWords;
  format.bits = bits;
  format.block_rows = 1;
  format.block_columns = group;
  format.scale_dtype = DType::kFp16;
  format.zero_points = true;
  format.whole_groups = true;
  return format;
}

// A key that the layout depends on and that has one value here.
void Require(ConfigReader& config, std::string_view key, ConfigReader::Keys known) {
  const auto value = config.OptionalText({key});
  if (!value) return;
  std::vector<std::string> words;
  for (const std::string_view word : known) {
    if (NormaliseName(*value) == NormaliseName(word)) return;
    words.emplace_back(word);
  }
  config.Complain(key, Quoted(*value) + " is not understood", "known: " + JoinWithOr(words));
}

}  // namespace

QuantisationRules ReadAwq(ConfigReader& config, DType /*dtype*/) {
  QuantisationRules rules;
  rules.method = "awq";
  const int bits = ReadBits(config, {"bits", "w_bit"}, {4});
  const auto group = config.OptionalSize({"q_group_size"});
  rules.groups.push_back(
      RuleGroup::Everything(PackedIntegers(bits, group ? *group : ReadGroupSize(config, 128))));
  config.Flag("zero_point", true);
  Require(config, "version", {"gemm"});
  ReadExclusions(config, {"modules_to_not_convert"}, rules);
  config.Ignore({"backend", "do_fuse", "exllama_config", "fuse_max_seq_len", "modules_to_fuse"});
  return rules;
}

QuantisationRules ReadGptq(ConfigReader& config, DType /*dtype*/) {
  QuantisationRules rules;
  rules.method = "gptq";
  const int bits = ReadBits(config, {"bits"}, {2, 3, 4, 8});
  rules.groups.push_back(RuleGroup::Everything(PackedIntegers(bits, ReadGroupSize(config, 128))));
  rules.groups.back().format.input_order = true;
  config.Flag("desc_act", false);
  config.Flag("sym", true);
  rules.with_head = config.Flag("lm_head", false);
  Require(config, "checkpoint_format", {"gptq", "gptq_v2"});
  Require(config, "format", {"gptq", "gptq_v2"});
  Require(config, "pack_dtype", {"int32"});
  ReadExclusions(config, {"modules_to_not_convert"}, rules);
  // GPTQModel: a pattern after "-:" leaves modules out, others change their settings.
  if (config.Given("dynamic")) {
    ConfigReader* dynamic = config.Inside("dynamic");
    for (const std::string& name :
         dynamic == nullptr ? std::vector<std::string>() : dynamic->NamesInside()) {
      dynamic->Find(name);
      auto pattern = name.starts_with("-:") ? ModulePattern::Parse("re:" + name.substr(2))
                                            : std::optional<ModulePattern>();
      if (pattern) {
        rules.exclusions.push_back(*std::move(pattern));
      } else {
        dynamic->Complain(name, "settings of single modules are not understood", "known: -:");
      }
    }
  }
  config.Ignore({"act_group_aware",
                 "batch_size",
                 "block_name_to_quantize",
                 "cache_block_outputs",
                 "cache_examples_on_gpu",
                 "damp_auto_increment",
                 "damp_percent",
                 "dataset",
                 "exllama_config",
                 "max_input_length",
                 "meta",
                 "model_file_base_name",
                 "model_name_or_path",
                 "model_seqlen",
                 "module_name_preceding_first_block",
                 "mse",
                 "offload_to_disk",
                 "pad_token_id",
                 "static_groups",
                 "tokenizer",
                 "true_sequential",
                 "use_cuda_fp16",
                 "use_exllama"});
  return rules;
}

}  // namespace roofcast::internal
