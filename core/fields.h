// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/quantity.h"

// The contract of a struct that is read from YAML, written to YAML, shown in Python and
// documented: it lists its fields once,
//
//   struct Link {
//     std::string name;
//     Bandwidth bandwidth_per_direction;
//     template <class V>
//     static void Fields(V& v) {
//       v("name", &Link::name, "what the link is called");
//       v("bandwidth_per_direction", &Link::bandwidth_per_direction, "of one link, one direction");
//     }
//   };
//
// and every reader, writer, binding and document is a visitor of that list. A field is required
// unless its type is optional, a vector, a map or a bool. Numbers and quantities are *figures*:
// they need a source and must be positive (kMayBeZero relaxes that).
namespace roofcast {

enum class FieldRule : std::uint8_t {
  kPlain,      // figures must be > 0
  kMayBeZero,  // figures must be >= 0
  kNoSource,   // a number that is a choice, not a figure (a count of nodes to use)
  kChoice,     // the same, of any sign
};

template <class T>
struct IsQuantity : std::false_type {};
template <Dim D, class T>
struct IsQuantity<Quantity<D, T>> : std::true_type {};

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct IsVector : std::false_type {};
template <class T>
struct IsVector<std::vector<T>> : std::true_type {};

template <class T>
struct IsMap : std::false_type {};
template <class K, class T>
struct IsMap<std::map<K, T>> : std::true_type {};

// A number with or without unit.
template <class T>
concept Figure =
    IsQuantity<T>::value || std::is_same_v<T, double> || std::is_same_v<T, std::int64_t>;

// Whether a file may leave out a field of that type.
template <class T>
constexpr bool MayMiss() {
  return IsOptional<T>::value || IsVector<T>::value || IsMap<T>::value || std::is_same_v<T, bool>;
}

namespace internal {
struct AnyVisitor {
  template <class... A>
  void operator()(A&&...) {}
};
}  // namespace internal

template <class T>
concept HasFields = requires(internal::AnyVisitor v) {
  T::Fields(v);
};

// An enum that is spelled in files: specialise with `static constexpr std::array<std::pair<E,
// std::string_view>, N> kNames`.
template <class E>
struct EnumNames;

template <class E>
concept NamedEnum = std::is_enum_v<E> && requires {
  EnumNames<E>::kNames;
};

template <NamedEnum E>
constexpr std::string_view NameOf(E value) {
  for (const auto& [candidate, name] : EnumNames<E>::kNames) {
    if (candidate == value) return name;
  }
  return "?";
}
template <NamedEnum E>
std::optional<E> FindEnum(std::string_view name) {
  for (const auto& [value, candidate] : EnumNames<E>::kNames) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}
template <NamedEnum E>
std::vector<std::string> EnumWords() {
  const auto& names = EnumNames<E>::kNames;
  std::vector<std::string> words(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) words[i] = names[i].second;
  return words;
}

// Names of the fields of S, in order.
template <HasFields S>
std::vector<std::string> FieldNames() {
  std::vector<std::string> names;
  auto visitor = [&](std::string_view name, auto, std::string_view, auto...) {
    names.emplace_back(name);
  };
  S::Fields(visitor);
  return names;
}

}  // namespace roofcast
