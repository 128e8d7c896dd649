// SPDX-License-Identifier: Apache-2.0
// The extension _calibration: what of roofcast needs Ceres, loaded by `roofcast.calibration` alone.
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

#include "calibration/calibrate.h"
#include "calibration/fit_file.h"
#include "calibration/report.h"
#include "core/error.h"
#include "core/text.h"
#include "hardware/catalog.h"
#include "python/bindings/calibration/docs.h"
#include "python/bindings/seal.h"
#include "python/bindings/typed.h"

namespace roofcast::python {
namespace {

using PathsArgument = Typed<"str | os.PathLike[str] | Iterable[str | os.PathLike[str]]">;
using DeviceArgument = Typed<"str | os.PathLike[str] | Device">;
using FamiliesArgument = Typed<"str | Iterable[str] | None">;
using SeriesResult = Typed<"tuple[str, ...]">;
using NumbersResult = Typed<"dict[str, dict[str, float]]">;
using WordsResult = Typed<"dict[str, dict[str, str]]">;
using ErrorsResult = Typed<"dict[str, dict[str, dict[str, float]]]">;
using CountsResult = Typed<"dict[str, int]">;
using DictResult = Typed<"dict[str, Any]">;

bool IsPath(const py::handle& value) {
  return py::isinstance<py::str>(value) || py::hasattr(value, "__fspath__");
}

std::string PathOf(const py::handle& value, const char* name) {
  if (IsPath(value)) {
    const auto path = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
    if (!path) throw py::error_already_set();
    if (py::isinstance<py::str>(path)) return path.cast<std::string>();
  }
  throw ArgumentError(std::string(name) + ": " + Quoted(py::repr(value).cast<std::string>()) +
                      " is no path; use a str or a Path");
}

std::vector<std::string> PathsOf(const py::object& value) {
  if (IsPath(value)) return {PathOf(value, "paths")};
  if (!py::isinstance<py::iterable>(value)) return {PathOf(value, "paths")};  // throws
  std::vector<std::string> paths;
  for (const py::handle item : py::iter(value)) paths.push_back(PathOf(item, "paths"));
  return paths;
}

Device DeviceOf(const py::object& value) {
  if (py::isinstance<Device>(value)) return value.cast<Device>();
  return LoadDevice(PathOf(value, "device"));
}

std::vector<std::string> FamiliesOf(const py::object& value) {
  if (value.is_none()) return {};
  if (py::isinstance<py::str>(value)) return {value.cast<std::string>()};
  std::vector<std::string> names;
  if (py::isinstance<py::iterable>(value)) {
    for (const py::handle item : py::iter(value)) {
      if (!py::isinstance<py::str>(item)) break;
      names.push_back(item.cast<std::string>());
    }
  }
  if (!names.empty()) return names;
  throw ArgumentError("families: " + Quoted(py::repr(value).cast<std::string>()) +
                      " are no names; use a list of str");
}

// Dicts, lists and numbers; doubles keep every bit.
py::object ToPython(const Json& json) {
  return py::module_::import("json").attr("loads")(FormatJson(json, false));
}

// {series: {coefficient: one figure of it}}.
py::dict FigureOf(const Calibration& calibration, const char* figure) {
  Json result = Json::object();
  const Json document = ToJson(calibration);
  for (const Json& series : document["series"]) {
    for (const auto& [name, coefficient] : series["coefficients"].items()) {
      result[series["name"].get<std::string>()][name] = coefficient[figure];
    }
  }
  return ToPython(result);
}

py::dict ErrorsOf(const Calibration& calibration) {
  Json result = Json::object();
  const Json document = ToJson(calibration);
  for (const Json& series : document["series"]) {
    result[series["name"].get<std::string>()] = series["errors"];
  }
  return ToPython(result);
}

py::tuple SeriesOf(const Calibration& calibration) {
  py::list names;
  for (const SeriesReport& report : calibration.series) names.append(py::str(report.name));

  return py::tuple(names);
}

void Save(const Calibration& calibration, const PathArgument& path) {
  const std::string file = PathOf(path.object, "path");
  try {
    SaveFit(calibration, Today(), file);
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    PyErr_SetString(PyExc_OSError, error.what());
    throw py::error_already_set();
  }
}

Calibration CalibratePython(const PathsArgument& paths,
                            const DeviceArgument& device,
                            const FamiliesArgument& families) {
  const std::vector<std::string> files = PathsOf(paths.object);
  const Device spec = DeviceOf(device.object);
  std::vector<std::string> names = FamiliesOf(families.object);
  const py::gil_scoped_release release;
  CalibrateOptions options;
  options.families = std::move(names);
  return Calibrate(files, spec, options);
}

void Bind(py::module_& m) {
  py::class_<Calibration>(m, "Calibration", kCalibrationDoc)
      .def_property_readonly(
          "device",
          [](const Calibration& self) { return self.name; },
          "name of the accelerator, or 'pooled'")
      .def_property_readonly(
          "series",
          [](const Calibration& self) { return SeriesResult{SeriesOf(self)}; },
          "what was fitted: family, number format and framework of each series")
      .def_property_readonly(
          "coefficients",
          [](const Calibration& self) { return NumbersResult{FigureOf(self, "value")}; },
          "by series and name, in the units of `to_dict`")
      .def_property_readonly(
          "standard_errors",
          [](const Calibration& self) { return NumbersResult{FigureOf(self, "relative_error")}; },
          "of the coefficients, as ratios to them; 0 at a bound")
      .def_property_readonly(
          "status",
          [](const Calibration& self) { return WordsResult{FigureOf(self, "status")}; },
          "of the coefficients: 'fitted', 'at_bound' or 'not_identified' where the data doesn't "
          "tell")
      .def_property_readonly(
          "errors",
          [](const Calibration& self) { return ErrorsResult{ErrorsOf(self)}; },
          "mape, median, p90 and bias in percent, by series and by 'datasheet', 'roofline', "
          "'in_sample', 'analytical' and 'hybrid'; all but the first and third cross-validated")
      .def_property_readonly(
          "skipped_rows",
          [](const Calibration& self) { return CountsResult{ToPython(Json(self.skipped))}; },
          "how many rows were not used, by reason")
      .def(
          "to_dict",
          [](const Calibration& self) { return DictResult{ToPython(ToJson(self))}; },
          "Everything as plain data: what 'roofcast calibrate --json' prints.")
      .def("save", &Save, py::arg("path"), kSaveDoc)
      .def("__str__", &FormatCalibration)
      .def("__repr__", [](const Calibration& self) {
        std::string series;
        for (const SeriesReport& report : self.series) {
          series += (series.empty() ? "" : ", ") + Printable(report.name);
        }
        return "<Calibration of " + Printable(self.name) + ": " + series + ">";
      });
  m.def("calibrate",
        &CalibratePython,
        py::arg("paths"),
        py::kw_only(),
        py::arg("device"),
        py::arg("families") = py::none(),
        kCalibrateDoc);
}

}  // namespace
}  // namespace roofcast::python

PYBIND11_MODULE(_calibration, m) {
  // Its error types and Device are used here too.
  roofcast::python::py::module_::import("roofcast._core");
  m.doc() = "The compiled part of roofcast.calibration; use the names of that module.";
  roofcast::python::Bind(m);
  roofcast::python::SealClasses(m);
}
