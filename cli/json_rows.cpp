// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cli/row_writer.h"
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

// One document alone, or {"schema", ..., "rows": [one document a line]}. Rows are written as they
// come, so that many of them need no memory.
class JsonWriter : public RowWriter {
 public:
  JsonWriter(const RowsContext& context, Output& output)
      : output_(output), single_(context.grid.rows() == 1) {
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
  bool first_ = true;
};

}  // namespace

std::unique_ptr<RowWriter> MakeJsonWriter(const RowsContext& context, Output& output) {
  return std::make_unique<JsonWriter>(context, output);
}

}  // namespace roofcast::cli
