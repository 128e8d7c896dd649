// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "core/node.h"
#include "models/engine.h"
#include "models/llm/architecture.h"
#include "models/training_rule.h"

// Models of published memory figures, and the rules of frameworks.
namespace roofcast {

// A GPT of Korthikanti et al. 2022: LayerNorm, biases, GeLU over 4 h; without table and head, which
// the paper's formulas leave out.
inline Llm Gpt(std::int64_t layers, std::int64_t hidden, std::int64_t heads) {
  Llm llm;
  llm.name = "gpt";
  llm.hidden = hidden;
  llm.has_head = false;
  llm.final_norm = false;
  Layer layer;
  layer.norm_bias = true;
  layer.attention = {.heads = heads,
                     .kv_heads = heads,
                     .head_dim = hidden / heads,
                     .value_dim = hidden / heads,
                     .qkv_bias = true,
                     .output_bias = true};
  layer.ffn = {.width = 4 * hidden, .gated = false, .bias = true};
  for (std::int64_t i = 0; i < layers; ++i) llm.Append(layer);
  return llm;
}

inline TrainingRule RuleOf(std::string_view engine) {
  return LoadEngine(engine).training.value();
}
inline TrainingRule NeutralRule() {
  return RuleOf("mixed-precision");
}
// As the paper ran: unfused attention with dropout.
inline TrainingRule KorthikantiRule() {
  TrainingRule rule = NeutralRule();
  rule.attention = AttentionForm::kUnfused;
  rule.dropout = true;
  return rule;
}

inline Bytes PartOf(const Node& ledger, std::string_view name) {
  const Node* part = FindChild(ledger, name);
  return part == nullptr ? Bytes(0) : part->bytes;
}

inline constexpr double kGib = 1024.0 * 1024 * 1024;

}  // namespace roofcast
