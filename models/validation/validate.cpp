// SPDX-License-Identifier: Apache-2.0
#include "models/validation/validate.h"

#include <algorithm>

#include "core/catalog.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/sha256.h"
#include "core/text.h"
#include "models/validation/cross_validation.h"
#include "models/validation/predict_rows.h"
#include "models/validation/training_table.h"

namespace roofcast {
namespace {

constexpr std::string_view kTraining = "training";

std::string KindOf(std::string_view text, const std::string& file, const std::string& asked) {
  if (!asked.empty()) {
    const std::vector<std::string> kinds = ValidationKinds();
    if (std::find(kinds.begin(), kinds.end(), asked) != kinds.end()) return asked;
    throw ArgumentError("as: no kind of table " + Quoted(asked) + "; use " + JoinWithOr(kinds));
  }
  if (IsTrainingTable(CsvReader(text, file))) return std::string(kTraining);
  throw SpecError(
      {{{file, 1, 1},
        "",
        "no table that can be validated",
        "a table of training runs has the columns source, model, metric, value and most "
        "of the sizes and degrees (layers, hidden, tp, ...); --as training reads it as one"}});
}

}  // namespace

std::vector<std::string> ValidationKinds() {
  return {std::string(kTraining)};
}

Validation ValidateText(std::string_view text,
                        const std::string& file,
                        const ValidationOptions& options) {
  Validation validation;
  validation.file = file;
  validation.kind = KindOf(text, file, options.kind);
  validation.data_hash = Sha256(text);
  validation.rows = PredictTrainingRows(text, file, options.metrics);
  if (validation.rows.empty()) {
    throw SpecError({{{file, 1, 1},
                      "",
                      options.metrics.empty() ? "has a header but no rows"
                                              : "has no row of the metrics asked for",
                      "name a file with such rows"}});
  }
  CrossValidate(validation.rows);
  validation.totals = Totals(validation.rows);
  validation.groups = Groups(validation.rows);
  return validation;
}

Validation ValidateFile(const std::string& path, const ValidationOptions& options) {
  return ValidateText(ReadUserFile(path).text, path, options);
}

}  // namespace roofcast
