// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/spec.h"

#include <utility>

#include "core/error.h"
#include "core/source.h"
#include "core/spec_reader.h"
#include "core/text.h"
#include "core/yaml_node.h"
#include "models/llm/config_reader.h"
#include "models/llm/families/blocks.h"

namespace roofcast {
namespace {

class Faults {
 public:
  void Add(std::string field, std::string text, std::string cure = "") {
    faults_.push_back({std::move(field), std::move(text), std::move(cure)});
  }
  void Need(bool there, const std::string& field, const std::string& why) {
    if (!there) Add("", "'" + field + "' is missing" + why, "add it");
  }
  bool none() const { return faults_.empty(); }
  std::vector<DescriptionFault> Take() { return std::move(faults_); }

 private:
  std::vector<DescriptionFault> faults_;
};

// Every size below these makes products that stay within 64 bits.
void CheckSizes(const DescribedLlm& d, Faults& faults) {
  auto visitor = [&](std::string_view name, auto member, std::string_view, auto...) {
    using T = std::remove_cvref_t<decltype(d.*member)>;
    std::int64_t size = 1;
    if constexpr (std::is_same_v<T, std::int64_t>) size = d.*member;
    if constexpr (std::is_same_v<T, std::optional<std::int64_t>>) size = (d.*member).value_or(1);
    const std::int64_t most = name == "layers" ? kMostLayers : kLargestSize;
    if (size > most) {
      faults.Add(
          std::string(name),
          std::to_string(size) + " is more than " + std::to_string(most) + ", the most allowed");
    }
  };
  DescribedLlm::Fields(visitor);
}

void CheckHeads(const DescribedLlm& d, Faults& faults) {
  if (d.heads % d.kv_heads != 0) {
    faults.Add("kv_heads",
               std::to_string(d.kv_heads) + " does not divide heads " + std::to_string(d.heads));
  }
  if (!d.head_dim && d.hidden % d.heads != 0) {
    faults.Add("heads",
               std::to_string(d.heads) + " does not divide hidden " + std::to_string(d.hidden) +
                   ", and there is no head_dim",
               "add head_dim");
  }
}

bool HasExperts(const DescribedLlm& d, std::int64_t layer) {
  return d.experts && layer >= d.dense_layers.value_or(0) &&
         layer % d.experts_every.value_or(1) == 0;
}

void CheckFeedForward(const DescribedLlm& d, Faults& faults) {
  if (d.experts) {
    faults.Need(d.experts_per_token.has_value(), "experts_per_token", ", as there are experts");
    faults.Need(d.expert_width.has_value(), "expert_width", ", as there are experts");
    if (d.experts_per_token.value_or(1) > *d.experts) {
      faults.Add("experts_per_token",
                 std::to_string(*d.experts_per_token) + " of " + std::to_string(*d.experts) +
                     " experts a token");
    }
  }
  const std::pair<const char*, bool> kOfExperts[] = {
      {"experts_per_token", d.experts_per_token.has_value()},
      {"expert_width", d.expert_width.has_value()},
      {"shared_width", d.shared_width.has_value()},
      {"dense_layers", d.dense_layers.has_value()},
      {"experts_every", d.experts_every.has_value()},
      {"router_bias", d.router_bias}};
  for (const auto& [field, given] : kOfExperts) {
    if (given && !d.experts) faults.Add(field, "needs experts", "add experts or take it out");
  }
  bool any_dense = false;
  for (std::int64_t i = 0; i < d.layers && !any_dense; ++i) any_dense = !HasExperts(d, i);
  if (any_dense) faults.Need(d.ffn.has_value(), "ffn", ", as there are dense layers");
}

AttentionLayer AttentionOf(const DescribedLlm& d, std::int64_t layer) {
  AttentionLayer attention;
  attention.heads = d.heads;
  attention.kv_heads = d.kv_heads;
  attention.head_dim = d.head_dim.value_or(d.hidden / d.heads);
  attention.value_dim = attention.head_dim;
  attention.qkv_bias = d.qkv_bias;
  attention.output_bias = d.output_bias;
  if (d.query_key_norm) attention.query_key_norm = QueryKeyNorm::kHead;
  const bool full = !d.window || (d.full_every && (layer + 1) % *d.full_every == 0);
  return WithKind(
      attention, full ? AttentionKind::kFull : AttentionKind::kSliding, d.window.value_or(0));
}

FfnLayer FfnOf(const DescribedLlm& d, std::int64_t layer) {
  const bool moe = HasExperts(d, layer);
  FfnLayer ffn = DenseFfn(moe ? *d.expert_width : *d.ffn);
  ffn.gated = *d.gated;
  ffn.bias = d.ffn_bias;
  if (!moe) return ffn;
  ffn.experts = *d.experts;
  ffn.experts_per_token = *d.experts_per_token;
  ffn.shared_width = d.shared_width.value_or(0);
  ffn.router_bias = d.router_bias;
  return ffn;
}

}  // namespace

std::vector<DescriptionFault> FaultsOf(const DescribedLlm& described) {
  Faults faults;
  CheckSizes(described, faults);
  faults.Need(described.tied_embeddings.has_value(), "tied_embeddings", "");
  faults.Need(described.gated.has_value(), "gated", "");
  if (described.full_every && !described.window) {
    faults.Add("full_every", "needs a window", "add window or take it out");
  }
  if (!faults.none()) return faults.Take();
  CheckHeads(described, faults);
  CheckFeedForward(described, faults);
  return faults.Take();
}

bool FillFrom(const DescribedLlm& described, Llm& llm) {
  llm.hidden = described.hidden;
  llm.vocabulary = described.vocabulary;
  llm.tied_embeddings = *described.tied_embeddings;
  llm.learned_positions = described.learned_positions.value_or(0);
  llm.final_norm_bias = described.layer_norm;
  llm.max_length = described.max_length.value_or(llm.learned_positions);
  llm.dtype = described.dtype.value_or(DType::kBf16);
  for (std::int64_t i = 0; i < described.layers; ++i) {
    Layer layer;
    layer.attention = AttentionOf(described, i);
    layer.ffn = FfnOf(described, i);
    layer.norm_bias = described.layer_norm;
    llm.Append(layer);
  }
  return IsCountable(llm);
}

void DescribedLlm::Check(SpecReader& reader) const {
  const auto faults = FaultsOf(*this);
  for (const DescriptionFault& fault : faults) {
    reader.AddProblem(fault.field, fault.text, fault.cure);
  }
  Llm llm;
  if (faults.empty() && !FillFrom(*this, llm)) {
    reader.AddProblem("", "these sizes make more than 10^15 parameters", "check them");
  }
}

bool IsDescribedLlm(const YamlNode& node) {
  return node.Find("hidden") != nullptr || node.Find("layers") != nullptr;
}

Llm ParseDescribedLlm(std::string_view yaml, const std::string& name, const std::string& file) {
  const auto described = ReadSpec<DescribedLlm>(ParseYaml(yaml, file), BuiltInReferences());
  Llm llm;
  llm.name = Printable(name);
  llm.model_type = "described";
  llm.place = file;
  FillFrom(described, llm);
  return llm;
}

}  // namespace roofcast
