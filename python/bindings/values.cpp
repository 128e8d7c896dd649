// SPDX-License-Identifier: Apache-2.0
#include "python/bindings/values.h"

namespace roofcast::python {

py::object FromJson(const Json& json) {
  if (json.is_object()) {
    py::dict dict;
    for (const auto& [key, value] : json.items()) dict[py::str(key)] = FromJson(value);
    return dict;
  }
  if (json.is_array()) {
    py::list list;
    for (const Json& item : json) list.append(FromJson(item));
    return list;
  }
  if (json.is_string()) return py::str(json.get<std::string>());
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
