// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "cli/grid.h"
#include "cli/run.h"
#include "core/output.h"
#include "models/serving/engine_log.h"
#include "models/steps/step_time.h"

namespace roofcast::cli {

// What all rows have in common.
struct RowsContext {
  const Verb& verb;
  const Grid& grid;
  std::string model;
  std::string cluster;
  std::string fits_hash;  // of --fits; "": the built-in ones
  bool quiet = false;
  const EngineLog* log = nullptr;  // to be shown beside the one row
};

// Writes the rows of a verb in one format. A row that can't be worked out has its reason.
class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void Add(const Point& point, const StepTime& step) = 0;
  virtual void AddRefused(const Point& point, const std::string& reason) = 0;
  virtual void Finish() = 0;
};

// The writer of one row is the report or the document itself, that of several a table or a list.
std::unique_ptr<RowWriter> MakeTextWriter(const RowsContext& context, Output& output);
std::unique_ptr<RowWriter> MakeJsonWriter(const RowsContext& context, Output& output);
std::unique_ptr<RowWriter> MakeCsvWriter(const RowsContext& context, Output& output);

}  // namespace roofcast::cli
