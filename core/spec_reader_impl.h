// SPDX-License-Identifier: Apache-2.0
// Template bodies of core/spec_reader.h.
#pragma once

#include "core/spec_reader.h"
#include "core/text.h"

namespace roofcast {

template <HasFields S>
void SpecReader::ReadStruct(const YamlNode& node, S& out) {
  if (!ExpectMap(node)) return;
  std::vector<std::string> known = FieldNames<S>();
  const bool kind_is_field = std::find(known.begin(), known.end(), "kind") != known.end();
  known.insert(known.end(), {"from", "note"});
  if (!kind_is_field) known.emplace_back("kind");
  if (++depth_ == 1) {
    known.emplace_back("references");
    places_[path_] = node.where();
    ReadOwnReferences(node);
  }
  const Figures outer = EnterSource(node, !kind_is_field);
  CheckKeys(node, known);
  auto visitor = [&](std::string_view name,
                     auto member,
                     std::string_view /*doc*/,
                     FieldRule rule = FieldRule::kPlain) {
    using T = std::remove_cvref_t<decltype(out.*member)>;
    const YamlNode* value = node.Find(name);
    if (value == nullptr || value->IsNull()) {
      if constexpr (!MayMiss<T>()) MissingKey(node, name);
      return;
    }
    const std::string outer_path = path_;
    path_ += (path_.empty() ? "" : ".") + std::string(name);
    places_[path_] = value->where();
    ReadValue(*value, out.*member, rule);
    path_ = outer_path;
  };
  S::Fields(visitor);
  figures_ = outer;
  --depth_;
}

template <class T>
void SpecReader::ReadValue(const YamlNode& node, T& out, FieldRule rule) {
  if constexpr (IsOptional<T>::value) {
    typename T::value_type value{};
    ReadValue(node, value, rule);
    out = std::move(value);
  } else if constexpr (IsVector<T>::value) {
    ReadItems(node, out, rule);
  } else if constexpr (IsMap<T>::value) {
    ReadEntries(node, out, rule);
  } else if constexpr (Figure<T>) {
    ReadFigure(node, out, rule);
  } else if constexpr (std::is_same_v<T, bool>) {
    ReadBool(node, out);
  } else if constexpr (std::is_same_v<T, std::string>) {
    ReadString(node, out);
  } else if constexpr (std::is_same_v<T, DType>) {
    std::vector<std::string> words;
    for (const DTypeRow& row : DTypes()) words.emplace_back(row.name);
    std::size_t index = words.size();
    ReadEnum(node, words, index);
    if (index < words.size()) out = DTypes()[index].dtype;
  } else if constexpr (NamedEnum<T>) {
    std::size_t index = EnumNames<T>::kNames.size();
    ReadEnum(node, EnumWords<T>(), index);
    if (index < EnumNames<T>::kNames.size()) out = EnumNames<T>::kNames[index].first;
  } else {
    ReadStruct(node, out);
  }
}

template <class T>
void SpecReader::ReadFigure(const YamlNode& node, T& out, FieldRule rule) {
  const Figures outer = figures_;
  const YamlNode* value = &node;
  if (node.IsMap()) {
    EnterSource(node, true);
    CheckKeys(node, {"value", "from", "kind", "note"});
    value = node.Find("value");
    if (value == nullptr || value->IsNull()) {
      MissingKey(node, "value");
      figures_ = outer;
      return;
    }
  }
  const std::size_t before = problems_.size();
  double number = 0;
  if constexpr (IsQuantity<T>::value) {
    ReadQuantity(*value, T::kDim, number);
    out = T(number);
  } else if constexpr (std::is_same_v<T, double>) {
    ReadNumber(*value, number);
    out = number;
  } else {
    ReadInteger(*value, out);
    number = static_cast<double>(out);
  }
  if (problems_.size() == before) CheckSign(*value, number, rule);
  const bool has_source = rule != FieldRule::kNoSource && rule != FieldRule::kChoice;
  if (has_source) RecordSource(*value);
  figures_ = outer;
}

template <class T>
void SpecReader::ReadItems(const YamlNode& node, std::vector<T>& out, FieldRule rule) {
  if (!node.IsList()) {
    Complain(node.where(), "needs a list", "write [a, b] or one '- item' a line");
    return;
  }
  const std::string outer_path = path_;
  for (std::size_t i = 0; i < node.items().size(); ++i) {
    path_ = outer_path + "[" + std::to_string(i) + "]";
    places_[path_] = node.items()[i].where();
    T item{};
    ReadValue(node.items()[i], item, rule);
    out.push_back(std::move(item));
  }
  path_ = outer_path;
}

template <class K, class T>
void SpecReader::ReadEntries(const YamlNode& node, std::map<K, T>& out, FieldRule rule) {
  if (!ExpectMap(node)) return;
  const Figures outer = EnterSource(node, true);
  const std::string outer_path = path_;
  for (const auto& entry : node.entries()) {
    if (entry.key == "from" || entry.key == "note" || entry.key == "kind") continue;
    path_ = outer_path;
    path_ += '.';
    path_ += entry.key;
    places_[path_] = entry.value.where();
    K key{};
    T value{};
    if (!ReadKey(entry, key)) continue;
    if (entry.value.IsNull()) {
      Complain(entry.where, "has no value", "fill it in or leave the line out");
      continue;
    }
    ReadValue(entry.value, value, rule);
    out.emplace(std::move(key), std::move(value));
  }
  path_ = outer_path;
  figures_ = outer;
}

template <class K>
bool SpecReader::ReadKey(const YamlNode::Entry& entry, K& key) {
  if constexpr (std::is_same_v<K, DType>) {
    return ReadDTypeKey(entry, key);
  } else {
    key = entry.key;
    return true;
  }
}

}  // namespace roofcast
