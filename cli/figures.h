// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/fields.h"
#include "core/source.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast::cli {

// One figure of a spec with where it comes from.
struct Shown {
  std::string path;              // "memory.bandwidth"
  std::string value;             // with its unit, exact
  std::optional<double> number;  // the same in base units
  std::string_view unit;         // the base unit; "" for counts and ratios
  std::optional<Source> source;
};

// Walks a field list as the reader does, in the same order and with the same key paths.
class FigureLister {
 public:
  explicit FigureLister(const Sources& sources) : sources_(sources) {}

  template <HasFields S>
  void Walk(const S& spec, const std::string& before = "") {
    auto visitor = [&](std::string_view name, auto member, auto&&...) {
      Visit(spec.*member, before + std::string(name));
    };
    S::Fields(visitor);
  }
  const std::vector<Shown>& shown() const { return shown_; }

 private:
  template <class T>
  void Visit(const T& value, const std::string& path) {
    if constexpr (IsOptional<T>::value) {
      if (value) Visit(*value, path);
    } else if constexpr (IsVector<T>::value) {
      VisitItems(value, path);
    } else if constexpr (IsMap<T>::value) {
      for (const auto& [key, item] : value) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(key)>, DType>) {
          Visit(item, path + "." + std::string(NameOf(key)));
        } else {
          Visit(item, path + "." + key);
        }
      }
    } else if constexpr (HasFields<T>) {
      Walk(value, path + ".");
    } else {
      Add(path, Text(value));
      if constexpr (IsQuantity<T>::value) {
        shown_.back().number = value.value();
        shown_.back().unit = UnitsOf(T::kDim).front().symbol;
      } else if constexpr (Figure<T>) {
        shown_.back().number = static_cast<double>(value);
      }
    }
  }

  template <class T>
  void VisitItems(const std::vector<T>& items, const std::string& path) {
    if constexpr (std::is_same_v<T, std::string>) {
      std::string joined;
      for (const std::string& item : items) joined += (joined.empty() ? "" : ", ") + item;
      if (!joined.empty()) Add(path, joined);
    } else {
      for (std::size_t i = 0; i < items.size(); ++i) {
        Visit(items[i], path + "[" + std::to_string(i) + "]");
      }
    }
  }

  template <class T>
  static std::string Text(const T& value) {
    if constexpr (IsQuantity<T>::value) {
      return FormatQuantity(T::kDim, value.value());
    } else if constexpr (std::is_same_v<T, double>) {
      return FormatExact(value);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return std::to_string(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return value;
    } else {
      return std::string(NameOf(value));
    }
  }

  void Add(const std::string& path, std::string value) {
    const auto found = sources_.find(path);
    std::optional<Source> source;
    if (found != sources_.end()) source = found->second;
    shown_.push_back({path, std::move(value), std::nullopt, "", std::move(source)});
  }

  const Sources& sources_;
  std::vector<Shown> shown_;
};

}  // namespace roofcast::cli
