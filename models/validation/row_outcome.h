// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/fields.h"
#include "models/validation/metric.h"

namespace roofcast {

enum class RowStatus : std::uint8_t { kPredicted, kRefused, kExcluded };
template <>
struct EnumNames<RowStatus> {
  static constexpr std::array<std::pair<RowStatus, std::string_view>, 3> kNames = {{
      {RowStatus::kPredicted, "predicted"},
      {RowStatus::kRefused, "refused"},
      {RowStatus::kExcluded, "excluded"},
  }};
};

// Whether a run fits in memory, as measured and by three predictions.
struct FitsOutcome {
  bool measured = false;
  bool predicted = false;
  bool by_states_alone = false;  // weights, gradients and optimizer against the same memory
  // Tensors that come and go over the room that the device leaves for them. It fits up to a
  // threshold: `predicted` has 1 / allocator_factor, cross-validation one of its own.
  double pressure = 0;
  std::optional<bool> cross_validated;
};

// One row of a table with what became of it.
struct RowOutcome {
  std::int64_t row = 0;                 // 1 is the first below the header
  const TableMetric* figure = nullptr;  // nullptr: its metric is not known
  std::string source;
  std::string gpu;  // the catalog's name, else the table's text
  std::string model;
  std::string framework;
  std::string plan;
  RowStatus status = RowStatus::kRefused;
  std::string reason;  // why it was refused, or the name of the test that excludes it
  std::string key;     // model shape
  int fold = 0;
  // Bytes; of other metrics than fits.
  double measured = 0;
  double predicted = 0;
  std::optional<double> cross_validated;
  std::optional<FitsOutcome> fits;
};

}  // namespace roofcast
