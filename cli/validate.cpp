// SPDX-License-Identifier: Apache-2.0
#include "models/validation/validate.h"

#include <string>

#include "cli/run.h"
#include "core/error.h"
#include "core/output.h"

namespace roofcast::cli {
namespace {

// The file of --rows, which is neither the table nor the answer; "" without the flag.
std::string RowsFile(const Arguments& arguments) {
  std::string rows = arguments.Get("rows");
  if (!arguments.Has("rows")) return rows;
  if (rows.empty() || rows == arguments.Get("output")) {
    throw ArgumentError("--rows: needs a file of its own; name another one");
  }
  try {
    RefuseInputs(rows, {arguments.names.front(), arguments.Get("output")});
  } catch (const ArgumentError&) {
    throw ArgumentError("--rows: is the table itself or the file of --output; name another one");
  }
  return rows;
}

}  // namespace

int RunValidate(const Verb& /*verb*/, const Arguments& arguments) {
  const OutputFormat format = FormatOf(arguments);
  if (arguments.names.empty()) {
    throw ArgumentError("names no table; write roofcast validate measured.csv");
  }
  const std::string path = arguments.names.front();
  const std::string rows = RowsFile(arguments);
  ValidationOptions options;
  options.kind = arguments.Get("as");
  if (arguments.Has("metric")) options.metrics = ParseMetrics(arguments.Get("metric"));
  const Validation validation = ValidateFile(path, options);
  if (!rows.empty()) WriteOutput(rows, RowsCsv(validation));
  WriteOutput(arguments.Get("output"),
              format == OutputFormat::kJson ? FormatJson(ToJson(validation))
              : format == OutputFormat::kCsv
                  ? GroupsCsv(validation)
                  : FormatValidation(validation, arguments.Has("quiet")));
  return kSuccess;
}

}  // namespace roofcast::cli
