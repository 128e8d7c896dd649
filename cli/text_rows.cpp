// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "cli/engine_flags.h"
#include "cli/row_writer.h"
#include "core/table.h"
#include "core/text.h"
#include "core/units.h"
#include "models/steps/report.h"
#include "models/steps/report_text.h"

namespace roofcast::cli {
namespace {

struct Column {
  TableColumn head;
  std::string (*cell)(const StepTime&);
};

std::string Number(double value) {
  return FormatThousands(value);
}

std::string MfuCell(const StepTime& step) {
  return FormatPercent(step.mfu.value_or(0));
}

std::vector<Column> ColumnsOf(std::string_view verb) {
  std::vector<Column> columns;
  const auto add = [&](const char* title, Align align, std::string (*cell)(const StepTime&)) {
    columns.push_back({{title, align}, cell});
  };
  add("plan", Align::kLeft, [](const StepTime& s) { return FormatPlan(s.plan); });
  if (!IsMemoryVerb(verb)) {
    add("time", Align::kRight, [](const StepTime& s) { return FormatStepTime(s.time); });
    add("bound", Align::kLeft, [](const StepTime& s) { return std::string(NameOf(s.bound)); });
  }
  add("fits", Align::kLeft, [](const StepTime& s) { return std::string(s.fits ? "yes" : "no"); });
  add("memory", Align::kRight, [](const StepTime& s) { return FormatGib(s.memory.bytes.bytes); });
  if (verb == "memory train") {
    add("free", Align::kRight, [](const StepTime& s) { return FormatGib(s.memory.headroom); });
    add("stage", Align::kRight, [](const StepTime& s) {
      return std::to_string(s.memory.rank_stage);
    });
    add("phase", Align::kLeft, [](const StepTime& s) {
      return std::string(NameOf(s.memory.phase.value_or(TrainingPhase::kForward)));
    });
    return columns;
  }
  if (verb == "memory") {
    add("free", Align::kRight, [](const StepTime& s) { return FormatGib(s.memory.headroom); });
    add("KV tokens", Align::kRight, [](const StepTime& s) {
      return Number(static_cast<double>(s.memory.kv_tokens));
    });
    add("sequences", Align::kRight, [](const StepTime& s) {
      return Number(static_cast<double>(s.memory.kv_concurrency));
    });
    return columns;
  }
  add("tokens/s", Align::kRight, [](const StepTime& s) { return Number(s.tokens_per_s); });
  add("per device", Align::kRight, [](const StepTime& s) {
    return Number(s.tokens_per_s_per_device);
  });
  if (verb == "predict train") add("MFU", Align::kRight, MfuCell);
  return columns;
}

class ReportWriter : public RowWriter {
 public:
  ReportWriter(const RowsContext& context, Output& output)
      : output_(output), quiet_(context.quiet), log_(context.log) {}
  void Add(const Point& /*point*/, const StepTime& step) override {
    output_.Write(quiet_ ? FormatAnswer(step) + "\n" : FormatReport(step));
    if (log_ != nullptr) {
      output_.Write((quiet_ ? "" : "\n") + FormatComparison(CompareWithLog(*log_, step)));
    }
  }
  void AddRefused(const Point& /*point*/, const std::string& /*reason*/) override {}
  void Finish() override {}

 private:
  Output& output_;
  bool quiet_;
  const EngineLog* log_;
};

class TableWriter : public RowWriter {
 public:
  TableWriter(const RowsContext& context, Output& output)
      : context_(context), output_(output), columns_(ColumnsOf(context.verb.name)) {}

  void Add(const Point& point, const StepTime& step) override {
    std::vector<std::string> cells = AxisCells(point);
    for (const Column& column : columns_) cells.push_back(column.cell(step));
    assumed_ = assumed_ || !step.interval;
    beyond_.insert(step.extrapolated.begin(), step.extrapolated.end());
    rows_.push_back(std::move(cells));
  }

  void AddRefused(const Point& point, const std::string& reason) override {
    std::vector<std::string> cells = AxisCells(point);
    cells.resize(cells.size() + columns_.size(), "-");
    cells.push_back(reason);
    refuses_ = true;
    rows_.push_back(std::move(cells));
  }

  void Finish() override {
    std::vector<TableColumn> heads;
    for (const std::string_view flag : context_.grid.Varied()) {
      heads.push_back({std::string(flag), Align::kRight});
    }
    for (const Column& column : columns_) heads.push_back(column.head);
    if (refuses_) heads.push_back({"why not", Align::kLeft});
    Table table(std::move(heads));
    for (std::vector<std::string>& row : rows_) table.AddRow(std::move(row));
    if (!context_.quiet) {
      const std::string_view verb = context_.verb.name;
      output_.Write(Printable(std::string(verb.substr(verb.rfind(' ') + 1)) + "  " +
                              context_.model + " on " + context_.cluster) +
                    "\n\n");
    }
    output_.Write(table.Text());
    constexpr std::size_t kMostBeyond = 5;
    std::size_t shown = 0;
    for (const std::string& text : beyond_) {
      if (++shown > kMostBeyond) break;
      output_.Write((shown == 1 ? "\nbeyond: " : "beyond: ") + Printable(text) + "\n");
    }
    if (beyond_.size() > kMostBeyond) output_.Write("beyond: ... (--json names all)\n");
    if (!context_.quiet && assumed_ && !IsMemoryVerb(context_.verb.name)) {
      output_.Write(
          "\nNo intervals: the error of whole steps has not been measured yet; most coefficients "
          "are "
          "assumed.\n");
    }
  }

 private:
  std::vector<std::string> AxisCells(const Point& point) const {
    std::vector<std::string> cells;
    for (const std::string_view flag : context_.grid.Varied()) {
      cells.push_back(std::to_string(Find(point, flag).value_or(0)));
    }
    return cells;
  }

  RowsContext context_;
  Output& output_;
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
  std::set<std::string> beyond_;
  bool refuses_ = false;
  bool assumed_ = false;
};

}  // namespace

std::unique_ptr<RowWriter> MakeTextWriter(const RowsContext& context, Output& output) {
  if (context.grid.rows() == 1) return std::make_unique<ReportWriter>(context, output);
  return std::make_unique<TableWriter>(context, output);
}

}  // namespace roofcast::cli
