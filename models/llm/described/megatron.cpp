// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/megatron.h"

#include <array>
#include <optional>
#include <utility>

#include "core/text.h"
#include "models/llm/described/arguments.h"
#include "models/llm/described/spec.h"

namespace roofcast {
namespace {

using internal::ArgumentReader;

// The arguments behind the fields that FaultsOf may complain of.
constexpr std::array<std::pair<std::string_view, std::string_view>, 14> kArguments = {{
    {"hidden", "hidden-size"},
    {"layers", "num-layers"},
    {"heads", "num-attention-heads"},
    {"kv_heads", "num-query-groups"},
    {"head_dim", "kv-channels"},
    {"experts_per_token", "moe-router-topk"},
    {"shared_width", "moe-shared-expert-intermediate-size"},
    {"experts_every", "moe-layer-freq"},
    {"router_bias", "moe-router-enable-expert-bias"},
    {"ffn", "ffn-hidden-size"},
    {"experts", "num-experts"},
    {"expert_width", "moe-ffn-hidden-size"},
    {"vocabulary", "vocab-size"},
    {"learned_positions", "max-position-embeddings"},
}};

std::string_view ArgumentOf(std::string_view field) {
  for (const auto& [name, argument] : kArguments) {
    if (name == field) return argument;
  }
  return "";
}

// The word, or `otherwise`; one of `known`.
template <std::size_t N>
std::string WordOf(ArgumentReader& arguments,
                   std::string_view name,
                   const std::array<const char*, N>& known) {
  std::string word = arguments.Word(name).value_or(known[0]);
  for (const char* const one : known) {
    if (word == one) return word;
  }
  arguments.Complain(name,
                     Quoted(word) + " is not understood",
                     "known: " + JoinWithOr({known.begin(), known.end()}));
  return known[0];
}

void ReadHeads(ArgumentReader& arguments, DescribedLlm& d) {
  d.hidden = arguments.Needed("hidden-size");
  d.layers = arguments.Needed("num-layers");
  d.heads = arguments.Needed("num-attention-heads");
  d.head_dim = arguments.Count("kv-channels");
  const auto groups = arguments.Count("num-query-groups");
  const bool grouped = arguments.Flag("group-query-attention");
  if (groups && !grouped) {
    arguments.Complain("num-query-groups",
                       "has no effect without --group-query-attention",
                       "add that, or remove this one");
  }
  d.kv_heads = grouped ? groups.value_or(1) : d.heads;
}

void ReadFeedForward(ArgumentReader& arguments, DescribedLlm& d) {
  d.gated = arguments.Flag("swiglu");
  const bool squared = arguments.Flag("squared-relu");
  if (squared && *d.gated) arguments.Complain("squared-relu", "contradicts --swiglu");
  // 4 h x 2/3, down to a multiple of 64; else 4 h.
  const std::int64_t width = *d.gated ? 8 * d.hidden / 192 * 64 : 4 * d.hidden;
  d.ffn = arguments.Count("ffn-hidden-size").value_or(width);
  d.experts = arguments.Count("num-experts");
  const auto topk = arguments.Count("moe-router-topk");
  const auto expert_width = arguments.Count("moe-ffn-hidden-size");
  d.shared_width = arguments.Count("moe-shared-expert-intermediate-size");
  d.experts_every = arguments.Count("moe-layer-freq");
  d.router_bias = arguments.Flag("moe-router-enable-expert-bias");
  if (d.experts) {
    d.experts_per_token = topk.value_or(2);
    d.expert_width = expert_width.value_or(*d.ffn);
    return;
  }
  // Megatron-LM passes over them in a dense model.
  d.shared_width.reset();
  d.experts_every.reset();
  d.router_bias = false;
}

void ReadBiasesAndNorms(ArgumentReader& arguments, DescribedLlm& d) {
  const bool biases = !arguments.Flag("disable-bias-linear");
  d.qkv_bias = arguments.Flag("add-qkv-bias") || biases;
  d.output_bias = biases;
  d.ffn_bias = biases;
  d.layer_norm = WordOf<2>(arguments, "normalization", {"LayerNorm", "RMSNorm"}) == "LayerNorm";
  d.query_key_norm = arguments.Flag("qk-layernorm");
  if (d.query_key_norm && d.layer_norm) {
    arguments.Complain("qk-layernorm", "only with --normalization RMSNorm is understood");
  }
}

void ReadPositions(ArgumentReader& arguments, DescribedLlm& d) {
  const std::int64_t length = arguments.Needed("max-position-embeddings");
  d.max_length = length;
  const std::string type =
      WordOf<4>(arguments, "position-embedding-type", {"learned_absolute", "rope", "yarn", "none"});
  const bool rotary = arguments.Flag("use-rotary-position-embeddings");
  const bool none = arguments.Flag("no-position-embedding");
  if (type == "learned_absolute" && !rotary && !none) d.learned_positions = length;
}

void ReadVocabulary(ArgumentReader& arguments, DescribedLlm& d) {
  d.tied_embeddings = !arguments.Flag("untie-embeddings-and-output-weights");
  const std::int64_t multiple = arguments.Count("make-vocab-size-divisible-by").value_or(128);
  const std::int64_t words = arguments.Needed("vocab-size");
  d.vocabulary = (words + multiple - 1) / multiple * multiple;
}

void ReadDType(ArgumentReader& arguments, DescribedLlm& d) {
  const bool bf16 = arguments.Flag("bf16");
  const bool fp16 = arguments.Flag("fp16");
  if (bf16 && fp16) arguments.Complain("fp16", "contradicts --bf16", "keep one of them");
  d.dtype = bf16 ? DType::kBf16 : fp16 ? DType::kFp16 : DType::kFp32;
}

}  // namespace

Llm ParseMegatronArguments(std::string_view text,
                           const std::string& name,
                           const std::string& file) {
  ArgumentReader arguments(text, file);
  DescribedLlm described;
  ReadHeads(arguments, described);
  ReadFeedForward(arguments, described);
  ReadBiasesAndNorms(arguments, described);
  ReadPositions(arguments, described);
  ReadVocabulary(arguments, described);
  ReadDType(arguments, described);
  arguments.RefuseUnread();
  arguments.ThrowIfAny();

  Llm llm;
  llm.name = Printable(name);
  llm.model_type = "megatron";
  llm.place = file;
  const auto faults = FaultsOf(described);
  for (const DescriptionFault& fault : faults) {
    arguments.Complain(ArgumentOf(fault.field), fault.text, fault.cure);
  }
  if (faults.empty() && !FillFrom(described, llm)) {
    arguments.Complain("", "these sizes make more than 10^15 parameters", "check them");
  }
  arguments.ThrowIfAny();
  return llm;
}

}  // namespace roofcast
