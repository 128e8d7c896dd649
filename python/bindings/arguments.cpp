// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "python/bindings/typed.h"

namespace roofcast::python {
namespace {

// "batch=2.5", however long or odd the value is.
std::string Shown(const py::object& value, const char* name) {
  constexpr std::size_t kMost = 40;
  std::string text =
      Printable(py::repr(value).attr("encode")("utf-8", "backslashreplace").cast<std::string>());
  if (text.size() > kMost) text = "<" + std::string(Py_TYPE(value.ptr())->tp_name) + ">";
  return std::string(name) + "=" + text;
}

// The text in `encoded`, a new reference to bytes or nullptr where `value` can't be encoded.
std::string WithoutNul(PyObject* encoded, const py::object& value, const char* name) {
  const auto bytes = py::reinterpret_steal<py::object>(encoded);
  if (!bytes) {
    PyErr_Clear();
    throw ArgumentError(Shown(value, name) +
                        ": is not valid text; use a str without lone surrogates");
  }
  auto text = bytes.cast<std::string>();
  if (text.find('\0') != std::string::npos) {
    throw ArgumentError(Shown(value, name) + ": has a NUL in it; use a str without");
  }
  return text;
}

}  // namespace

std::int64_t WholeNumber(const py::object& value, const char* name, std::int64_t lowest) {
  if (PyBool_Check(value.ptr()) || !PyIndex_Check(value.ptr())) {
    throw ArgumentError(Shown(value, name) + ": needs a whole number; use an int");
  }
  const auto index = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!index) {  // numpy.bool_ and arrays of more than one element
    PyErr_Clear();
    throw ArgumentError(Shown(value, name) + ": needs a whole number; use an int");
  }
  int overflow = 0;
  const std::int64_t number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  if (overflow > 0) {
    throw ArgumentError(Shown(value, name) + ": is too large; use a number below 2^63");
  }
  if (overflow < 0 || number < lowest) {
    throw ArgumentError(Shown(value, name) + ": out of range; use a whole number from " +
                        std::to_string(lowest));
  }
  return number;
}

double RealNumber(const py::object& value, const char* name) {
  const double number = PyBool_Check(value.ptr()) ? std::nan("") : PyFloat_AsDouble(value.ptr());
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  const bool is_number = PyFloat_Check(value.ptr()) || PyIndex_Check(value.ptr());
  if (!is_number || !std::isfinite(number)) {
    throw ArgumentError(Shown(value, name) + ": needs a number; use a float");
  }
  return number;
}

std::string Text(const py::object& value, const char* name) {
  if (!py::isinstance<py::str>(value)) {
    throw ArgumentError(Shown(value, name) + ": needs text; use a str");
  }
  return WithoutNul(PyUnicode_AsUTF8String(value.ptr()), value, name);
}

std::string PathText(const py::object& value, const char* name) {
  const auto path = py::reinterpret_steal<py::object>(PyOS_FSPath(value.ptr()));
  if (!path) PyErr_Clear();
  if (!path || !py::isinstance<py::str>(path)) {
    throw ArgumentError(Shown(value, name) + ": needs a name or a path; use a str or a Path");
  }
  return WithoutNul(PyUnicode_EncodeFSDefault(path.ptr()), value, name);
}

namespace {

std::vector<std::string> NamesOf(const std::vector<DTypeRow>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const DTypeRow& row : rows) names.emplace_back(row.name);
  return names;
}

[[noreturn]] void RefuseFormat(const py::object& value,
                               const char* name,
                               const std::vector<std::string>& known) {
  throw ArgumentError(Shown(value, name) + ": unknown number format; use " + JoinWithOr(known));
}

}  // namespace

std::optional<DType> OptionalDType(const py::object& value, const char* name) {
  if (value.is_none()) return std::nullopt;
  if (const auto dtype = FindDType(Text(value, name))) return dtype;
  RefuseFormat(value, name, NamesOf(DTypes()));
}

std::optional<DType> OptionalKvDType(const py::object& value, const char* name) {
  if (value.is_none()) return std::nullopt;
  if (const auto dtype = FindStorageDType(Text(value, name))) return dtype;
  std::vector<std::string> known = NamesOf(DTypes());
  for (std::string& each : NamesOf(BlockDTypes())) known.push_back(std::move(each));
  RefuseFormat(value, name, known);
}

std::optional<WeightChoice> OptionalWeights(const py::object& value, const char* name) {
  if (value.is_none()) return std::nullopt;
  if (const auto weights = FindWeights(Text(value, name))) return weights;
  RefuseFormat(value, name, WeightNames());
}

}  // namespace roofcast::python
