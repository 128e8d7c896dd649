// SPDX-License-Identifier: Apache-2.0
// The documentation of a spec, from its field list: docs/spec_reference.md and the docstrings of
// Python are written from it.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/fields.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast {

struct FieldDoc {
  std::string path;  // "memory.capacity", "tiers[].link", "peak.<number format>"
  std::string type;  // "quantity", "number", "whole number", "text", "true or false", "block",
                     // "one of gpu, tpu or cpu", or "list of ..." and "map of ..." those
  std::string unit;  // base unit of a quantity, "B/s"; see UnitsOf for all that are understood
  bool required = false;
  std::string doc;
};

namespace internal {

template <class T>
std::string TypeOf() {
  if constexpr (IsOptional<T>::value) {
    return TypeOf<typename T::value_type>();
  } else if constexpr (IsVector<T>::value) {
    return "list of " + TypeOf<typename T::value_type>();
  } else if constexpr (IsMap<T>::value) {
    return "map of " + TypeOf<typename T::mapped_type>();
  } else if constexpr (IsQuantity<T>::value) {
    return "quantity";
  } else if constexpr (std::is_same_v<T, double>) {
    return "number";
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return "whole number";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "true or false";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "text";
  } else if constexpr (std::is_same_v<T, DType>) {
    return "number format";
  } else if constexpr (NamedEnum<T>) {
    return "one of " + JoinWithOr(EnumWords<T>());
  } else {
    return "block";
  }
}

// What a field holds once lists, maps and optionals are taken off.
template <class T>
struct Inner {
  using Type = T;
};
template <class T>
struct Inner<std::optional<T>> : Inner<T> {};
template <class T>
struct Inner<std::vector<T>> : Inner<T> {};
template <class K, class T>
struct Inner<std::map<K, T>> : Inner<T> {};

template <class T>
std::string PathEnd() {
  if constexpr (IsOptional<T>::value) {
    return PathEnd<typename T::value_type>();
  } else if constexpr (IsVector<T>::value) {
    return "[]" + PathEnd<typename T::value_type>();
  } else if constexpr (IsMap<T>::value) {
    const bool formats = std::is_same_v<typename T::key_type, DType>;
    return (formats ? ".<number format>" : ".<name>") + PathEnd<typename T::mapped_type>();
  } else {
    return "";
  }
}

template <HasFields S>
void AppendFieldDocs(const std::string& before, std::vector<FieldDoc>& docs) {
  auto visitor = [&]<class T>(std::string_view name, T S::*, std::string_view doc, auto...) {
    using Leaf = typename Inner<T>::Type;
    FieldDoc field;
    field.path = before + std::string(name) + (HasFields<Leaf> ? "" : PathEnd<T>());
    field.type = TypeOf<T>();
    if constexpr (IsQuantity<Leaf>::value) field.unit = UnitsOf(Leaf::kDim).front().symbol;
    field.required = !MayMiss<T>();
    field.doc = doc;
    docs.push_back(std::move(field));
    if constexpr (HasFields<Leaf>) {
      AppendFieldDocs<Leaf>(before + std::string(name) + PathEnd<T>() + ".", docs);
    }
  };
  S::Fields(visitor);
}

}  // namespace internal

// Every field of S and of the blocks in it, in the order in which they are listed.
template <HasFields S>
std::vector<FieldDoc> FieldDocs() {
  std::vector<FieldDoc> docs;
  internal::AppendFieldDocs<S>("", docs);
  return docs;
}

}  // namespace roofcast
