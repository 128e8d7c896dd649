// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/dtype.h"
#include "models/llm/weight_recipe.h"

namespace roofcast::python {

namespace py = pybind11;

// Text as a template argument.
template <std::size_t N>
struct Literal {
  char chars[N];
  // NOLINTNEXTLINE(google-explicit-constructor): Typed<"int"> is the point
  consteval Literal(const char (&text)[N]) { std::copy_n(text, N, chars); }
};

// Any Python object whose type is called `kName` in signatures and stubs. The body checks it, so
// that the message is the library's and not pybind11's list of overloads.
template <Literal kName>
struct Typed {
  py::object object;
};

using IntArgument = Typed<"int">;
using NameArgument = Typed<"str">;
using PathArgument = Typed<"str | os.PathLike[str]">;
using OptionalIntArgument = Typed<"int | None">;
using OptionalNameArgument = Typed<"str | None">;
using OptionalNumberArgument = Typed<"float | None">;

// A whole number of at least `lowest`: an int or a NumPy integer. Booleans, fractions and what
// doesn't fit 64 bits throw ArgumentError: "batch=2.5: needs a whole number".
std::int64_t WholeNumber(const py::object& value, const char* name, std::int64_t lowest);
// A finite float, or an int; else throws ArgumentError.
double RealNumber(const py::object& value, const char* name);
std::string Text(const py::object& value, const char* name);
// The text of a str or os.PathLike.
std::string PathText(const py::object& value, const char* name);
// nullopt for None.
std::optional<DType> OptionalDType(const py::object& value, const char* name);
// Of a KV cache: the formats that only store, too. Of weights: recipes, too.
std::optional<DType> OptionalKvDType(const py::object& value, const char* name);
std::optional<WeightChoice> OptionalWeights(const py::object& value, const char* name);

}  // namespace roofcast::python

namespace pybind11::detail {

template <roofcast::python::Literal kName>
struct type_caster<roofcast::python::Typed<kName>> {  // NOLINT: pybind11 looks for this name
  using Value = roofcast::python::Typed<kName>;
  PYBIND11_TYPE_CASTER(Value, const_name(kName.chars));

  // NOLINTNEXTLINE(readability-identifier-naming)
  bool load(handle source, bool /*convert*/) {
    value.object = reinterpret_borrow<object>(source);
    return true;
  }
  // NOLINTNEXTLINE(readability-identifier-naming)
  static handle cast(const Value& source, return_value_policy /*policy*/, handle /*parent*/) {
    return handle(source.object).inc_ref();
  }
};

}  // namespace pybind11::detail
