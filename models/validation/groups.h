// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/validation/error_summary.h"
#include "models/validation/row_outcome.h"

namespace roofcast {

// How many runs fitted or were out of memory (oom), as measured and as predicted.
struct Confusion {
  std::int64_t fits_as_fits = 0;
  std::int64_t fits_as_oom = 0;
  std::int64_t oom_as_fits = 0;
  std::int64_t oom_as_oom = 0;

  void Add(bool measured_fits, bool predicted_fits);
  std::int64_t Rows() const;
  double Right() const;  // percent; of no rows 0
};

struct FitsSummary {
  Confusion predicted;
  std::optional<Confusion> cross_validated;
  Confusion by_states_alone;  // baseline: activations left out
  double majority = 0;        // baseline: the commoner answer for every row; percent right
};

struct ErrorFigures {
  ErrorSummary predicted;
  std::optional<ErrorSummary> cross_validated;
  std::optional<double> spearman;  // percent
};

// Rows of one metric, and how good their predictions are.
struct RowGroup {
  std::string name;
  Metric metric = Metric::kMemory;
  std::map<std::string, std::string> by;  // which keys make the group, and their values
  std::int64_t rows = 0;                  // predicted
  std::int64_t refused = 0;
  std::map<std::string, std::int64_t> excluded;  // by the name of the test
  std::optional<ErrorFigures> errors;            // of other metrics than fits, when rows > 0
  std::optional<FitsSummary> fits;

  // More than one row in twenty was refused: its figures stand for the rest alone.
  bool Incomplete() const { return 20 * refused > rows + refused; }
};

// One for each metric, in the order of the enum.
std::vector<RowGroup> Totals(const std::vector<RowOutcome>& outcomes);
// By source, gpu, model, framework and regime, each a key of its own.
std::vector<RowGroup> Groups(const std::vector<RowOutcome>& outcomes);

}  // namespace roofcast
