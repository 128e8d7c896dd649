// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/values.h"

namespace roofcast::python {
namespace {

py::str Decoded(std::string_view text, const char* errors) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors);
  if (decoded == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(decoded);
}

}  // namespace

py::str FromText(std::string_view text) {
  return Decoded(text, "surrogateescape");
}

py::str ForPeople(std::string_view text) {
  return Decoded(text, "backslashreplace");
}

py::object FromJson(const Json& json) {
  if (json.is_object()) {
    py::dict dict;
    for (const auto& [key, value] : json.items()) dict[FromText(key)] = FromJson(value);
    return dict;
  }
  if (json.is_array()) {
    py::list list;
    for (const Json& item : json) list.append(FromJson(item));
    return list;
  }
  if (json.is_string()) return FromText(json.get<std::string>());
  if (json.is_boolean()) return py::bool_(json.get<bool>());
  if (json.is_number_unsigned()) return py::int_(json.get<std::uint64_t>());
  if (json.is_number_integer()) return py::int_(json.get<std::int64_t>());
  if (json.is_number()) return py::float_(json.get<double>());
  return py::none();
}

py::object ReadOnly(const py::dict& dict) {
  return py::reinterpret_steal<py::object>(PyDictProxy_New(dict.ptr()));
}

}  // namespace roofcast::python
