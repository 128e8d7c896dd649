// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/fields.h"
#include "core/source.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast {

// Walks a struct's field list and writes YAML that SpecReader reads back as the same value with
// the same sources. Fields keep the order of the list; what may be left out and is empty is.
class SpecWriter {
 public:
  // `sources` holds the origin of each figure by key path; `references` says which kind a key has
  // by itself, so that `kind:` is written only where a figure differs.
  SpecWriter(const Sources& sources, const References& references);

  template <HasFields S>
  void WriteStruct(const S& value);
  // Adds the references that the file brought itself, and returns the text.
  std::string Finish();

 private:
  template <class T>
  void WriteValue(std::string_view name, const T& value);
  template <class T>
  void WriteItems(std::string_view name, const std::vector<T>& items);
  template <class T>
  static std::string Text(const T& value);

  void Line(std::string_view text);
  void WriteText(std::string_view name, std::string_view text);
  void WriteTexts(std::string_view name, const std::vector<std::string>& texts);
  void WriteFigure(std::string_view name, const std::string& text);

  const Sources& sources_;
  const References& references_;
  std::string from_;  // the key that stands at the top of the file
  std::string text_;
  std::string path_;
  std::size_t indent_ = 0;
  bool item_ = false;  // the next line starts an item of a list
};

// A string as YAML: plain where that reads back as the same text everywhere, else in quotes.
// `flow` is inside [] or {}, where less may stand plain.
std::string YamlScalar(std::string_view text, bool flow);

// The whole file. Without `sources` in S, or for a value made by hand that has none, figures are
// written bare, and reading them back needs a `from:`.
template <HasFields S>
std::string WriteSpec(const S& spec, const References& references = BuiltInReferences()) {
  static const Sources no_sources;
  const Sources* sources = &no_sources;
  if constexpr (requires { spec.sources; }) sources = &spec.sources;
  SpecWriter writer(*sources, references);
  writer.WriteStruct(spec);
  return writer.Finish();
}

template <HasFields S>
void SpecWriter::WriteStruct(const S& value) {
  auto visitor = [&](std::string_view name, auto member, std::string_view /*doc*/, auto...) {
    const std::string outer = path_;
    path_ += (path_.empty() ? "" : ".") + std::string(name);
    WriteValue(name, value.*member);
    path_ = outer;
  };
  S::Fields(visitor);
}

template <class T>
void SpecWriter::WriteValue(std::string_view name, const T& value) {
  if constexpr (IsOptional<T>::value) {
    if (value) WriteValue(name, *value);
  } else if constexpr (IsVector<T>::value) {
    if (!value.empty()) WriteItems(name, value);
  } else if constexpr (IsMap<T>::value) {
    if (value.empty()) return;
    Line(std::string(name) + ":");
    indent_ += 2;
    const std::string outer = path_;
    for (const auto& [key, item] : value) {
      const std::string word = Text(key);
      path_ += '.';
      path_ += word;
      WriteValue(word, item);
      path_ = outer;
    }
    indent_ -= 2;
  } else if constexpr (Figure<T>) {
    WriteFigure(name, Text(value));
  } else if constexpr (HasFields<T>) {
    Line(std::string(name) + ":");
    indent_ += 2;
    WriteStruct(value);
    indent_ -= 2;
  } else {
    WriteText(name, Text(value));
  }
}

template <class T>
void SpecWriter::WriteItems(std::string_view name, const std::vector<T>& items) {
  if constexpr (!HasFields<T> && !Figure<T>) {
    std::vector<std::string> texts;
    texts.reserve(items.size());
    for (const T& item : items) texts.push_back(Text(item));
    WriteTexts(name, texts);
  } else {
    Line(std::string(name) + ":");
    indent_ += 4;
    const std::string outer = path_;
    for (std::size_t i = 0; i < items.size(); ++i) {
      path_ = outer + "[" + std::to_string(i) + "]";
      item_ = true;
      if constexpr (HasFields<T>) {
        WriteStruct(items[i]);
      } else {
        WriteFigure("", Text(items[i]));
      }
    }
    path_ = outer;
    indent_ -= 4;
  }
}

template <class T>
std::string SpecWriter::Text(const T& value) {
  if constexpr (IsQuantity<T>::value) {
    return FormatQuantity(T::kDim, value.value());
  } else if constexpr (std::is_same_v<T, double>) {
    return FormatExact(value);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    return std::string(NameOf(value));
  } else {
    return value;
  }
}

}  // namespace roofcast
