// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/fields.h"

namespace roofcast {

// What predictions are judged on; errors of different metrics are never mixed.
enum class Metric : std::uint8_t {
  kStepTime,
  kTokensPerSecond,
  kTflops,
  kMfu,
  kTimeToTrain,
  kMemory,
  kFits,
};
template <>
struct EnumNames<Metric> {
  static constexpr std::array<std::pair<Metric, std::string_view>, 7> kNames = {{
      {Metric::kStepTime, "step_time"},
      {Metric::kTokensPerSecond, "tokens_per_s"},
      {Metric::kTflops, "tflops"},
      {Metric::kMfu, "mfu"},
      {Metric::kTimeToTrain, "time_to_train"},
      {Metric::kMemory, "memory"},
      {Metric::kFits, "fits"},
  }};
};

// A figure that tables hold in their column `metric`.
struct TableMetric {
  std::string_view name;
  Metric metric;
  // Which of several readings of the metric it is; "" when there is one.
  std::string_view regime = {};
  // Whether it counts in the totals and in the groups that aren't by regime. What an allocator has
  // reserved depends on its history, so it has a group of its own only.
  bool counts = true;
};

// All of them.
const std::vector<TableMetric>& TableMetrics();
const TableMetric* FindTableMetric(std::string_view name);

// "memory,fits" -> both. Throws ArgumentError.
std::vector<Metric> ParseMetrics(std::string_view text);

}  // namespace roofcast
