// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"

#include <algorithm>

#include "core/text.h"
#include "models/llm/tensors.h"

namespace roofcast {
namespace {

// A thousand times the largest published model; below it every count is exact in 64 bits.
constexpr double kMostParameters = 1e15;

double RoughParameters(const std::vector<Tensor>& tensors) {
  double sum = 0;
  for (const Tensor& tensor : tensors) {
    sum += static_cast<double>(tensor.count) * static_cast<double>(tensor.outputs) *
           static_cast<double>(tensor.inputs);
  }
  return sum;
}

}  // namespace

std::int64_t ReadLayerCount(ConfigReader& text, ConfigReader::Keys keys) {
  return text.Size(keys, kMostLayers);
}

std::int64_t ReadBackbone(ConfigReader& text, Llm& llm, bool tied_when_absent) {
  llm.hidden = text.Size("hidden_size");
  llm.vocabulary = text.Size("vocab_size");
  llm.tied_embeddings = text.Flag("tie_word_embeddings", tied_when_absent);
  return ReadLayerCount(text);
}

namespace {
// hidden / heads, which must be whole.
std::int64_t DividedHeadDim(ConfigReader& text,
                            const Llm& llm,
                            std::int64_t heads,
                            std::string_view key,
                            std::string_view but,
                            std::string cure) {
  if (text.ok() && llm.hidden % heads != 0) {
    text.Complain(key,
                  std::to_string(heads) + " does not divide hidden_size " +
                      std::to_string(llm.hidden) + std::string(but),
                  std::move(cure));
  }
  return std::max<std::int64_t>(1, llm.hidden / heads);
}
}  // namespace

AttentionLayer ReadGroupedAttention(ConfigReader& text,
                                    const Llm& llm,
                                    HeadDimRule rule,
                                    KvHeadsRule kv_rule) {
  AttentionLayer attention;
  attention.heads = text.Size("num_attention_heads");
  if (text.Find("num_key_value_heads") == nullptr) {
    text.Missing("num_key_value_heads",
                 "add it: as many as num_attention_heads if every query head has its own");
  } else if (kv_rule == KvHeadsRule::kNullMeansAll && !text.Given("num_key_value_heads")) {
    attention.kv_heads = attention.heads;
  } else {
    attention.kv_heads = text.Size("num_key_value_heads");
  }
  if (rule == HeadDimRule::kGiven) {
    attention.head_dim = text.Size("head_dim");
  } else if (const auto given = text.OptionalSize({"head_dim"})) {
    attention.head_dim = *given;
  } else {
    attention.head_dim = DividedHeadDim(text,
                                        llm,
                                        attention.heads,
                                        "num_attention_heads",
                                        ", and there is no head_dim",
                                        "add head_dim");
  }
  CheckGroups(text, attention);
  attention.value_dim = attention.head_dim;
  return attention;
}

AttentionLayer EvenAttention(ConfigReader& text,
                             const Llm& llm,
                             std::int64_t heads,
                             std::int64_t kv_heads,
                             const HeadKeys& keys) {
  AttentionLayer attention;
  attention.heads = heads;
  attention.kv_heads = kv_heads;
  attention.head_dim = DividedHeadDim(text, llm, heads, keys.heads, "", "");
  attention.value_dim = attention.head_dim;
  CheckGroups(text, attention, keys);
  return attention;
}

void CheckGroups(ConfigReader& text, const AttentionLayer& attention, const HeadKeys& keys) {
  if (!text.ok() || attention.heads % attention.kv_heads == 0) return;
  text.Complain(keys.kv_heads,
                std::to_string(attention.kv_heads) + " does not divide " + std::string(keys.heads) +
                    " " + std::to_string(attention.heads),
                "");
}

std::vector<AttentionKind> ReadLayerTypes(ConfigReader& text,
                                          std::int64_t layers,
                                          bool may_slide,
                                          const std::function<bool(std::int64_t)>& slides) {
  constexpr std::string_view kKey = "layer_types";
  std::vector<AttentionKind> kinds;
  const ConfigNode* list = text.Find(kKey);
  if (list == nullptr || list->IsNull()) {
    for (std::int64_t i = 0; i < layers; ++i) {
      kinds.push_back(may_slide && slides(i) ? AttentionKind::kSliding : AttentionKind::kFull);
    }
    return kinds;
  }
  if (!list->IsList() || static_cast<std::int64_t>(list->items.size()) != layers) {
    text.ComplainAt(
        *list,
        kKey,
        (list->IsList() ? std::to_string(list->items.size()) + " entries" : Quoted(*list)) +
            " for " + std::to_string(layers) + " layers",
        "give one entry a layer");
  }
  for (const ConfigNode& item : list->items) {
    const bool sliding = item.text == "sliding_attention";
    const std::string entry = std::string(kKey) + "[" + std::to_string(kinds.size()) + "]";
    if (sliding && !may_slide) {
      text.ComplainAt(item,
                      entry,
                      "slides, but the config has no window",
                      "add the window or write full_attention");
    } else if (!sliding && item.text != "full_attention") {
      text.ComplainAt(item,
                      entry,
                      Quoted(item) + " is not understood",
                      "known: full_attention or sliding_attention");
    }
    kinds.push_back(sliding ? AttentionKind::kSliding : AttentionKind::kFull);
  }
  return kinds;
}

AttentionLayer WithKind(AttentionLayer attention, AttentionKind kind, std::int64_t window) {
  attention.kind = kind;
  attention.window = attention.IsWindowed() ? window : 0;
  return attention;
}

FfnLayer DenseFfn(std::int64_t width) {
  FfnLayer ffn;
  ffn.width = width;
  return ffn;
}

FfnLayer PlainFfn(std::int64_t width, bool bias) {
  FfnLayer ffn = DenseFfn(width);
  ffn.gated = false;
  ffn.bias = bias;
  return ffn;
}

FfnLayer MoeFfn(ConfigReader& text,
                std::int64_t width,
                std::int64_t experts,
                std::int64_t experts_per_token) {
  FfnLayer ffn = DenseFfn(width);
  ffn.experts = experts;
  ffn.experts_per_token = experts_per_token;
  if (text.ok() && experts_per_token > experts) {
    text.Complain(
        "num_experts_per_tok",
        std::to_string(experts_per_token) + " of " + std::to_string(experts) + " experts a token",
        "");
  }
  return ffn;
}

void ReadEncoderHead(ConfigReader& text, ConfigReader& top, Llm& llm) {
  llm.causal = false;
  llm.has_head = false;
  for (const std::string& name : top.Texts({"architectures"})) {
    if (name.ends_with("ForMaskedLM")) llm.has_head = true;
  }
  llm.head_transform = llm.has_head;
  const bool tied = text.Flag("tie_word_embeddings", true);
  llm.tied_embeddings = llm.has_head && tied;
  for (const std::string_view key : {"is_decoder", "add_cross_attention"}) {
    if (text.Flag(key, false)) {
      text.Complain(key, "only false is understood", "an encoder sees both ways");
    }
  }
}

bool IsCountable(const Llm& llm) {
  double parameters = 2.0 * static_cast<double>(llm.vocabulary + llm.learned_positions) *
                      static_cast<double>(llm.hidden);
  for (const std::int32_t kind : llm.layers) {
    const Layer& layer = llm.kinds[static_cast<std::size_t>(kind)];
    parameters += RoughParameters(LayerTensors(layer, llm.hidden));
  }
  return parameters < kMostParameters;
}

bool AppendLayers(ConfigReader& text,
                  Llm& llm,
                  std::int64_t layers,
                  const std::function<Layer(std::int64_t)>& layer_at) {
  if (!text.ok()) return false;
  for (std::int64_t i = 0; i < layers; ++i) llm.Append(layer_at(i));
  if (IsCountable(llm)) return true;
  text.Complain("", "these sizes make more than 10^15 parameters", "check them");
  return false;
}

bool AppendEqualLayers(ConfigReader& text, Llm& llm, std::int64_t layers, const Layer& layer) {
  return AppendLayers(text, llm, layers, [&](std::int64_t) { return layer; });
}

}  // namespace roofcast
