// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "core/error.h"
#include "models/llm/config.h"

// Small configs to break in one place at a time.
namespace roofcast::test {

inline constexpr std::string_view kLlama = R"({
  "model_type": "llama",
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 8,
  "vocab_size": 128256
})";

inline constexpr std::string_view kQwenMoe = R"({
  "model_type": "qwen3_moe",
  "hidden_size": 2048,
  "intermediate_size": 6144,
  "moe_intermediate_size": 768,
  "num_hidden_layers": 4,
  "num_attention_heads": 32,
  "num_key_value_heads": 4,
  "head_dim": 128,
  "num_experts": 128,
  "num_experts_per_tok": 8,
  "vocab_size": 151936
})";

// The text with `from`, which must be in it, replaced by `to`.
inline std::string With(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t at = result.find(from);
  REQUIRE_MESSAGE(at != std::string::npos, from);
  return result.replace(at, from.size(), to);
}

// The text with another key at the end.
inline std::string Plus(std::string_view text, std::string_view key_and_value) {
  const std::size_t brace = text.rfind("\n}");
  REQUIRE(brace != std::string_view::npos);
  return std::string(text.substr(0, brace)) + ",\n  " + std::string(key_and_value) + "\n}";
}

inline Llm Parse(std::string_view text) {
  return ParseLlm(text, "test", "config.json");
}

// What ParseLlm says against the text; "" when it takes it.
inline std::string MessageOf(std::string_view text) {
  try {
    Parse(text);
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

}  // namespace roofcast::test
