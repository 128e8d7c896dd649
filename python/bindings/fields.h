// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "core/fields_equal.h"
#include "core/source.h"
#include "core/text.h"
#include "python/bindings/typed.h"
#include "python/bindings/values.h"

namespace roofcast::python {

// A read-only attribute; `type` is what stubs write, kept in the class's __annotations__.
template <class S, class... Extra, class Get>
void Attribute(py::class_<S, Extra...>& type,
               const std::string& name,
               const std::string& annotation,
               Get get,
               const std::string& doc) {
  type.def_property_readonly(
      name.c_str(),
      [get](const S& self) -> py::object { return ToPython(std::invoke(get, self)); },
      doc.c_str());
  type.attr("__annotations__")[name.c_str()] = annotation;
}
// The same with the annotation that the value's type implies.
template <class S, class... Extra, class Get>
void Attribute(py::class_<S, Extra...>& type,
               const std::string& name,
               Get get,
               const std::string& doc) {
  using T = std::remove_cvref_t<std::invoke_result_t<Get, const S&>>;
  Attribute(type, name, TypeNameOf<T>(), get, doc);
}

// The values are frozen, so a copy may be the value itself.
template <class S, class... Extra>
void BindCopies(py::class_<S, Extra...>& type) {
  type.def("__copy__", [](const Typed<"Self">& self) { return self; });
  type.def(
      "__deepcopy__",
      [](const Typed<"Self">& self, const Typed<"dict[int, object]">& /*memo*/) { return self; },
      py::arg("memo"));
}

Source SourceOf(const Sources& sources, const std::string& owner, const std::string& key_path);

// "Host(cpu='...', cores=96, ...)", or "<Device h100-sxm>" where the value has a name.
template <HasFields S>
std::string ReprOf(const S& value, const std::string& type_name) {
  if constexpr (requires { value.name; }) {
    return "<" + type_name + " " + Printable(value.name) + ">";
  } else {
    std::string text;
    for (const auto& [name, item] : ToDict(value)) {
      text += (text.empty() ? "" : ", ") + py::str(name).template cast<std::string>() + "=" +
              py::repr(item).template cast<std::string>();
    }
    return type_name + "(" + text + ")";
  }
}

// Reads a struct's field list and makes its class: an attribute a field, its unit appended to the
// name ("bandwidth_bytes_per_s") and to the documentation; equality, to_dict, source.
template <HasFields S, class... Extra>
void BindFields(py::class_<S, Extra...>& type) {
  auto visitor = [&](std::string_view name, auto member, std::string_view doc, auto...) {
    using T = std::remove_cvref_t<decltype(std::declval<S>().*member)>;
    const std::string unit = UnitOf<T>();
    Attribute(type,
              std::string(name) + SuffixOf<T>(),
              member,
              std::string(doc) + (unit.empty() ? "" : " [" + unit + "]"));
  };
  S::Fields(visitor);

  const auto type_name = type.attr("__name__").template cast<std::string>();
  type.def("__repr__", [type_name](const S& self) { return ReprOf(self, type_name); });
  type.def(
      "__eq__",
      [](const S& self, const Typed<"object">& other) {
        return py::isinstance<S>(other.object) &&
               SameFields(self, other.object.template cast<const S&>());
      },
      py::arg("other"));
  if constexpr (requires(const S& value) { value.name; }) {
    type.def("__hash__", [](const S& self) { return py::hash(FromText(self.name)); });
  }
  type.def(
      "to_dict",
      [](const S& self) { return Typed<"dict[str, Any]">{ToDict(self)}; },
      "All fields as plain data: dicts, lists, numbers and text.");
  BindCopies(type);
  if constexpr (requires(const S& value) { value.sources; }) {
    Attribute(type, "file", &S::file, "where it was read: a path, or the built-in file's");
    type.def(
        "source",
        [](const S& self, const NameArgument& key_path) {
          return SourceOf(self.sources, self.name, Text(key_path.object, "key_path"));
        },
        py::arg("key_path"),
        R"(Where a figure comes from.

Parameters
----------
key_path : str
    The figure by its path in the file, as in ``"memory.bandwidth"``.

Returns
-------
Source

Raises
------
NotFoundError
    If the file gives no such figure.)");
  }
}

}  // namespace roofcast::python
