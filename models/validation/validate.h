// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.h"
#include "models/validation/groups.h"
#include "models/validation/row_outcome.h"

// Holds predictions against a table of measurements.
namespace roofcast {

struct ValidationOptions {
  std::string kind;             // "training"; "": recognised by the header
  std::vector<Metric> metrics;  // none: all of the table
};

struct Validation {
  std::string file;
  std::string kind;
  std::string data_hash;  // SHA-256 of the file
  std::vector<RowOutcome> rows;
  std::vector<RowGroup> totals;
  std::vector<RowGroup> groups;
};

// The kinds of tables that can be read.
std::vector<std::string> ValidationKinds();

// `file` is what messages call the text. Throws SpecError for a table that can't be read, and
// ArgumentError for a kind that isn't known.
Validation ValidateText(std::string_view text,
                        const std::string& file,
                        const ValidationOptions& options = {});
// The same from a file. Throws NotFoundError when it can't be read.
Validation ValidateFile(const std::string& path, const ValidationOptions& options = {});

// The document of interfaces `roofcast/1`.
Json ToJson(const Validation& validation);
// Tables for the terminal; `quiet`: the totals alone.
std::string FormatValidation(const Validation& validation, bool quiet);
// One line a group, totals first; one line a row of the table.
std::string GroupsCsv(const Validation& validation);
std::string RowsCsv(const Validation& validation);

}  // namespace roofcast
