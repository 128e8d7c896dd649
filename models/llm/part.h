// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/fields.h"

namespace roofcast {

// What a weight tensor belongs to.
enum class Part : std::uint8_t {
  kEmbedding,
  kAttention,
  kRecurrent,
  kFfn,
  kRouter,
  kExperts,
  kSharedExperts,
  kNorm,
  kHead,
};
template <>
struct EnumNames<Part> {
  static constexpr std::array<std::pair<Part, std::string_view>, 9> kNames = {{
      {Part::kEmbedding, "embedding"},
      {Part::kAttention, "attention"},
      {Part::kRecurrent, "recurrent"},
      {Part::kFfn, "ffn"},
      {Part::kRouter, "router"},
      {Part::kExperts, "experts"},
      {Part::kSharedExperts, "shared experts"},
      {Part::kNorm, "norm"},
      {Part::kHead, "head"},
  }};
};

}  // namespace roofcast
