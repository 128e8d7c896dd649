// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/fields.h"
#include "core/json.h"
#include "core/units.h"

// How values of the library look in Python: quantities are floats in base units, formats and enums
// are words, lists are tuples and maps are read-only.
namespace roofcast::python {

namespace py = pybind11;

// Dicts, lists and numbers of a JSON document; doubles keep every bit.
py::object FromJson(const Json& json);

// Text as a str. What isn't UTF-8, as in the names of some files, looks as os.fsdecode has it.
py::str FromText(std::string_view text);
// The same for reading: what isn't UTF-8 looks like "\xff", which can be printed.
py::str ForPeople(std::string_view text);

py::object ReadOnly(const py::dict& dict);

// What a name that holds a T is followed by ("_bytes_per_s"), and the unit itself ("B/s").
template <class T>
std::string SuffixOf() {
  if constexpr (IsOptional<T>::value || IsVector<T>::value) {
    return SuffixOf<typename T::value_type>();
  } else if constexpr (IsMap<T>::value) {
    return SuffixOf<typename T::mapped_type>();
  } else if constexpr (IsQuantity<T>::value) {
    return std::string(UnitSuffix(T::kDim));
  } else {
    return "";
  }
}
template <class T>
std::string UnitOf() {
  if constexpr (IsOptional<T>::value || IsVector<T>::value) {
    return UnitOf<typename T::value_type>();
  } else if constexpr (IsMap<T>::value) {
    return UnitOf<typename T::mapped_type>();
  } else if constexpr (IsQuantity<T>::value) {
    return std::string(UnitsOf(T::kDim).front().symbol);
  } else {
    return "";
  }
}

// The annotation of an attribute, as stubs write it.
template <class T>
std::string TypeNameOf() {
  if constexpr (IsOptional<T>::value) {
    return TypeNameOf<typename T::value_type>() + " | None";
  } else if constexpr (IsVector<T>::value) {
    return "tuple[" + TypeNameOf<typename T::value_type>() + ", ...]";
  } else if constexpr (IsMap<T>::value) {
    return "Mapping[str, " + TypeNameOf<typename T::mapped_type>() + "]";
  } else if constexpr (IsQuantity<T>::value || std::is_same_v<T, double>) {
    return "float";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "bool";
  } else if constexpr (std::is_integral_v<T>) {
    return "int";
  } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) {
    return "str";
  } else {
    return py::type::of<T>().attr("__name__").template cast<std::string>();
  }
}

// A value as an attribute (`plain` false) or as part of a dict of plain data.
template <class T>
py::object ToPython(const T& value, bool plain = false);

template <HasFields S>
py::dict ToDict(const S& value) {
  py::dict dict;
  auto visitor = [&](std::string_view name, auto member, std::string_view /*doc*/, auto...) {
    using T = std::remove_cvref_t<decltype(value.*member)>;
    dict[py::str(std::string(name) + SuffixOf<T>())] = ToPython(value.*member, true);
  };
  S::Fields(visitor);
  return dict;
}

template <class T>
py::object ToPython(const T& value, bool plain) {
  if constexpr (std::is_base_of_v<py::object, T>) {
    return value;
  } else if constexpr (IsOptional<T>::value) {
    return value ? ToPython(*value, plain) : py::none();
  } else if constexpr (IsVector<T>::value) {
    py::list list;
    for (const auto& item : value) list.append(ToPython(item, plain));
    return plain ? py::object(list) : py::object(py::tuple(list));
  } else if constexpr (IsMap<T>::value) {
    py::dict dict;
    for (const auto& [key, item] : value) dict[ToPython(key)] = ToPython(item, plain);
    return plain ? py::object(dict) : ReadOnly(dict);
  } else if constexpr (IsQuantity<T>::value) {
    return py::float_(value.value());
  } else if constexpr (std::is_enum_v<T>) {
    return py::str(std::string(NameOf(value)));
  } else if constexpr (std::is_same_v<T, std::string>) {
    return FromText(value);
  } else if constexpr (HasFields<T>) {
    return plain ? py::object(ToDict(value)) : py::cast(value);
  } else {
    return py::cast(value);
  }
}

}  // namespace roofcast::python
