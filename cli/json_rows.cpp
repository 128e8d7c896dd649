// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/row_writer.h"
#include "core/text.h"
#include "models/steps/json.h"

namespace roofcast::cli {
namespace {

Json InputsOf(const Point& point) {
  Json inputs = Json::object();
  for (const auto& [flag, value] : point) {
    std::string name(flag);
    std::replace(name.begin(), name.end(), '-', '_');
    inputs[name] = value;
  }
  return inputs;
}

Json JsonOf(const EngineLog& log, const LogComparison& comparison) {
  Json rows = Json::array();
  for (const LogRow& row : comparison.rows) {
    const auto difference = row.Difference();
    rows.push_back({{"name", row.name},
                    {"unit", row.is_bytes ? "B" : ""},
                    {"logged", row.logged},
                    {"predicted", row.predicted},
                    {"difference", difference ? Json(*difference) : Json(nullptr)}});
  }
  return {{"product", log.product},
          {"version", log.version ? Json(Printable(*log.version)) : Json(nullptr)},
          {"model", log.model ? Json(Printable(*log.model)) : Json(nullptr)},
          {"rows", std::move(rows)},
          {"notes", comparison.notes}};
}

// One document alone, or {"schema", ..., "rows": [one document a line]}. Rows are written as they
// come, so that many of them need no memory.
class JsonWriter : public RowWriter {
 public:
  JsonWriter(const RowsContext& context, Output& output)
      : output_(output), single_(context.grid.rows() == 1), log_(context.log) {
    if (single_) return;
    Json header = DocumentHeader(std::string(context.verb.name));
    if (!context.fits_hash.empty()) header["fits_hash"] = context.fits_hash;
    std::string head = FormatJson(header);
    head.erase(head.rfind("\n}"));
    output_.Write(head + ",\n  \"rows\": [");
  }

  void Add(const Point& point, const StepTime& step) override {
    Json document = ToJson(step);
    document["inputs"] = InputsOf(point);
    if (log_ != nullptr) document["engine_log"] = JsonOf(*log_, CompareWithLog(*log_, step));
    Append(document);
  }
  void AddRefused(const Point& point, const std::string& reason) override {
    Append({{"inputs", InputsOf(point)}, {"error", reason}});
  }
  void Finish() override {
    if (!single_) output_.Write("\n  ]\n}\n");
  }

 private:
  void Append(const Json& document) {
    if (single_) {
      output_.Write(FormatJson(document));
      return;
    }
    output_.Write((first_ ? "\n    " : ",\n    ") + FormatJson(document, false));
    first_ = false;
  }

  Output& output_;
  bool single_;
  const EngineLog* log_;
  bool first_ = true;
};

}  // namespace

std::unique_ptr<RowWriter> MakeJsonWriter(const RowsContext& context, Output& output) {
  return std::make_unique<JsonWriter>(context, output);
}

}  // namespace roofcast::cli
