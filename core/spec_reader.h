// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/source.h"
#include "core/yaml_node.h"

namespace roofcast {

// Walks a struct's field list over a YAML node and collects every problem of the file. Sources
// are resolved on the way: the nearest enclosing `from:` wins, a leaf may be written as
// {value, from, kind, note}. `kind:` and `note:` say how a figure differs from what its reference
// is by itself; on a block they hold for the figures in it, except that `kind:` on a block which
// has a field of that name is the field. A new `from:` ends the `kind:` and `note:` around it. A
// file may bring references of its own under `references:`.
class SpecReader {
 public:
  explicit SpecReader(const References& references) : references_(references) {}

  template <HasFields S>
  void ReadStruct(const YamlNode& node, S& out);

  const Sources& sources() const { return sources_; }
  // For checks after reading: reports a problem at the place of a key path, or of the nearest
  // block around it that was in the file.
  void AddProblem(const std::string& key_path, std::string text, std::string cure);
  void ThrowIfAny();

 private:
  struct Figures {  // what applies to figures at a level
    std::string from;
    std::string kind;
    std::string note;
    bool usable = true;  // false once `from` or `kind` was complained about
  };

  template <class T>
  void ReadValue(const YamlNode& node, T& out, FieldRule rule);
  template <class T>
  void ReadFigure(const YamlNode& node, T& out, FieldRule rule);
  template <class T>
  void ReadItems(const YamlNode& node, std::vector<T>& out, FieldRule rule);
  template <class K, class T>
  void ReadEntries(const YamlNode& node, std::map<K, T>& out, FieldRule rule);
  template <class K>
  bool ReadKey(const YamlNode::Entry& entry, K& key);

  void ReadInteger(const YamlNode& node, std::int64_t& out);
  void ReadNumber(const YamlNode& node, double& out);
  void ReadQuantity(const YamlNode& node, Dim dim, double& out);
  void ReadBool(const YamlNode& node, bool& out);
  void ReadString(const YamlNode& node, std::string& out);
  void ReadEnum(const YamlNode& node, const std::vector<std::string>& words, std::size_t& index);
  bool ReadDTypeKey(const YamlNode::Entry& entry, DType& key);

  bool ExpectMap(const YamlNode& node);
  void CheckKeys(const YamlNode& node, const std::vector<std::string>& known);
  void CheckSign(const YamlNode& node, double value, FieldRule rule);
  void ReadOwnReferences(const YamlNode& node);
  // Enters `from:`, `note:` and, if it is provenance here, `kind:` of a block; returns what held
  // before.
  Figures EnterSource(const YamlNode& node, bool has_kind);
  const std::string* ProvenanceText(const YamlNode& node, std::string_view key);
  const Reference* FindReference(const std::string& key) const;
  void RecordSource(const YamlNode& node);
  void Complain(const Location& where, std::string text, std::string cure = "");
  void ComplainBelow(std::string_view key,
                     const Location& where,
                     std::string text,
                     std::string cure);
  void MissingKey(const YamlNode& node, std::string_view key);

  const References& references_;
  // A file's own `references:`; shared with the sources that cite them.
  std::map<std::string, std::shared_ptr<const Reference>> own_;
  Sources sources_;
  Figures figures_;
  std::vector<Problem> problems_;
  std::map<std::string, Location> places_;
  std::string path_;
  int depth_ = 0;
};

// Reads a whole file of one struct; `sources` of the struct is filled when it has such a member.
template <HasFields S>
S ReadSpec(const YamlNode& node, const References& references) {
  SpecReader reader(references);
  S spec{};
  reader.ReadStruct(node, spec);
  reader.ThrowIfAny();
  if constexpr (requires { spec.sources = reader.sources(); }) spec.sources = reader.sources();
  if constexpr (requires { spec.Check(reader); }) {
    spec.Check(reader);
    reader.ThrowIfAny();
  }
  return spec;
}

}  // namespace roofcast

#include "core/spec_reader_impl.h"
