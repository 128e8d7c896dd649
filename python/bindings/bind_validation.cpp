// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "models/validation/validate.h"
#include "python/bindings/bind.h"
#include "python/bindings/fields.h"

namespace roofcast::python {
namespace {

constexpr const char* kValidateDoc = R"(Holds predictions against a table of measurements.

Parameters
----------
path : str or path
    A CSV of training runs: columns source, model, metric, value, sizes and degrees.
kind : str, optional
    What the table holds, "training"; default: told by its header.
metric : str, optional
    Only these, as in "memory,fits"; default: all of the table.

Returns
-------
Validation
    `roofcast.frame.groups_frame` and `rows_frame` show it as data frames.

Raises
------
NotFoundError
    If the file can't be read.
SpecError
    If it is no such table.

Examples
--------
>>> import pathlib, tempfile
>>> import roofcast as rc
>>> path = pathlib.Path(tempfile.mkdtemp()) / "measured.csv"
>>> _ = path.write_text("source,model,metric,value\nmine,my-model,oom,0\n")
>>> rc.validate(path, kind="training").totals()[0]["excluded"]
{'without layers or parallel degrees': 1})";

using Documents = Typed<"list[dict[str, Any]]">;

// One key of the document, worked out when it is asked for.
Documents PartOf(const Validation& validation, const char* key) {
  return {FromJson(ToJson(validation)[key])};
}

void BindClass(py::module_& m) {
  py::class_<Validation> type(m, "Validation", R"(Errors of predictions, in percent of measurements.

``str()`` is what the command prints, ``to_dict()`` its ``--json``.)");
  Attribute(type, "file", &Validation::file, "path of the table");
  Attribute(type, "kind", &Validation::kind, "what the table holds");
  Attribute(type, "data_hash", &Validation::data_hash, "SHA-256 of the file");
  type.def(
      "totals",
      [](const Validation& v) { return PartOf(v, "totals"); },
      "One group a metric: rows, refused, excluded and errors in percent.");
  type.def(
      "groups",
      [](const Validation& v) { return PartOf(v, "groups"); },
      "The same by source, gpu, model, framework and regime.");
  type.def(
      "refused_rows",
      [](const Validation& v) { return PartOf(v, "refused_rows"); },
      "Rows that can't be predicted, each with the reason.");
  type.def(
      "rows_csv",
      [](const Validation& v) { return FromText(RowsCsv(v)); },
      "Every row with its prediction as CSV, what the command writes with --rows.");
  type.def(
      "to_dict",
      [](const Validation& v) { return Typed<"dict[str, Any]">{FromJson(ToJson(v))}; },
      "Everything as plain data: what the command prints with --json.");
  type.def(
      "to_json",
      [](const Validation& v) { return FormatJson(ToJson(v)); },
      "Everything as JSON text, what the command prints with --json.");
  type.def("__str__", [](const Validation& v) { return ForPeople(FormatValidation(v, false)); });
  type.def("__repr__", [](const Validation& v) {
    return ForPeople("<Validation of " + Printable(v.file) + ", " + std::to_string(v.rows.size()) +
                     " rows>");
  });
  BindCopies(type);
}

}  // namespace

void BindValidation(py::module_& m) {
  BindClass(m);
  m.def(
      "validate",
      [](const PathArgument& path,
         const OptionalNameArgument& kind,
         const OptionalNameArgument& metric) {
        const std::string file = PathText(path.object, "path");
        ValidationOptions options;
        if (!kind.object.is_none()) options.kind = Text(kind.object, "kind");
        if (!metric.object.is_none()) options.metrics = ParseMetrics(Text(metric.object, "metric"));
        const py::gil_scoped_release release;
        return ValidateFile(file, options);
      },
      py::arg("path"),
      py::kw_only(),
      py::arg("kind") = py::none(),
      py::arg("metric") = py::none(),
      kValidateDoc);
}

}  // namespace roofcast::python
