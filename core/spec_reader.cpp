// SPDX-License-Identifier: Apache-2.0
#include "core/spec_reader.h"

#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "core/units.h"
#include "core/utf8.h"

namespace roofcast {
namespace {

constexpr std::size_t kMostProblems = 100;  // enough to mend, short enough to read

// What messages repeat of a node.
std::string Shown(const YamlNode& node) {
  switch (node.kind()) {
    case YamlNode::Kind::kNull:
      return "nothing";
    case YamlNode::Kind::kList:
      return "a list";
    case YamlNode::Kind::kMap:
      return "a block";
    case YamlNode::Kind::kScalar:
      break;
  }
  return Quoted(node.scalar());
}

std::vector<std::string> DTypeNames() {
  std::vector<std::string> names;
  for (const DTypeRow& row : DTypes()) names.emplace_back(row.name);
  return names;
}

}  // namespace

void SpecReader::Complain(const Location& where, std::string text, std::string cure) {
  if (problems_.size() < kMostProblems) {
    problems_.push_back({where, path_, std::move(text), std::move(cure)});
  }
}

void SpecReader::ComplainBelow(std::string_view key,
                               const Location& where,
                               std::string text,
                               std::string cure) {
  const std::string outer = path_;
  path_ += (path_.empty() ? "" : ".") + std::string(key);
  Complain(where, std::move(text), std::move(cure));
  path_ = outer;
}

void SpecReader::AddProblem(const std::string& key_path, std::string text, std::string cure) {
  std::string path = key_path;
  auto place = places_.find(path);
  while (place == places_.end() && !path.empty()) {
    const auto end = path.find_last_of(".[");
    path = end == std::string::npos ? "" : path.substr(0, end);
    place = places_.find(path);
  }
  problems_.push_back({place == places_.end() ? Location{} : place->second,
                       key_path,
                       std::move(text),
                       std::move(cure)});
}

void SpecReader::ThrowIfAny() {
  if (!problems_.empty()) throw SpecError(std::move(problems_));
}

bool SpecReader::ExpectMap(const YamlNode& node) {
  if (node.IsMap()) return true;
  Complain(node.where(), Shown(node) + " where a block of keys is needed", "write 'key: value'");
  return false;
}

void SpecReader::MissingKey(const YamlNode& node, std::string_view key) {
  const YamlNode* empty = node.Find(key);
  Complain(empty == nullptr ? node.where() : empty->where(),
           "'" + std::string(key) + (empty == nullptr ? "' is missing" : "' has no value"),
           empty == nullptr ? "add it" : "fill it in");
}

void SpecReader::CheckKeys(const YamlNode& node, const std::vector<std::string>& known) {
  for (const auto& entry : node.entries()) {
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const auto nearest = NearestName(entry.key, known);
    ComplainBelow(entry.key,
                  entry.where,
                  "unknown key",
                  nearest ? "did you mean '" + *nearest + "'?" : "use " + JoinWithOr(known));
  }
}

void SpecReader::ReadInteger(const YamlNode& node, std::int64_t& out) {
  const auto value = node.IsScalar() && !node.quoted() ? ParseInteger(node.scalar()) : std::nullopt;
  if (value) {
    out = *value;
  } else {
    Complain(node.where(), Shown(node) + " is not a whole number", "write digits only");
  }
}

void SpecReader::ReadNumber(const YamlNode& node, double& out) {
  const auto value = node.IsScalar() && !node.quoted() ? ParseNumber(node.scalar()) : std::nullopt;
  if (value) {
    out = *value;
  } else {
    Complain(node.where(), Shown(node) + " is not a number", "write it without a unit, as 0.5");
  }
}

void SpecReader::ReadQuantity(const YamlNode& node, Dim dim, double& out) {
  if (!node.IsScalar()) {
    Complain(node.where(), Shown(node) + " where a number with a unit is needed", "");
    return;
  }
  try {
    out = ParseQuantity(dim, node.scalar());
  } catch (const ArgumentError& error) {
    Complain(node.where(), error.what());
  }
}

void SpecReader::ReadBool(const YamlNode& node, bool& out) {
  if (node.IsScalar() && (node.scalar() == "true" || node.scalar() == "false")) {
    out = node.scalar() == "true";
  } else {
    Complain(node.where(), Shown(node) + " is not true or false", "write true or false");
  }
}

void SpecReader::ReadString(const YamlNode& node, std::string& out) {
  if (!node.IsScalar()) {
    Complain(node.where(), Shown(node) + " where text is needed", "");
    return;
  }
  out = node.scalar();
  if (Trim(out).empty()) Complain(node.where(), "is empty", "fill it in");
  // YAML's escapes can spell what the file itself may not hold.
  std::size_t at = 0;
  while (at < out.size()) {
    const auto point = NextCodePoint(out, at);
    if (point && (!IsControl(*point) || *point == U'\n')) continue;
    Complain(node.where(), Shown(node) + " holds a control character", "take it out");
    return;
  }
}

void SpecReader::ReadEnum(const YamlNode& node,
                          const std::vector<std::string>& words,
                          std::size_t& index) {
  const auto found = std::find(words.begin(), words.end(), node.scalar());
  if (node.IsScalar() && found != words.end()) {
    index = static_cast<std::size_t>(found - words.begin());
  } else {
    Complain(node.where(), Shown(node) + " is not known", "use " + JoinWithOr(words));
  }
}

bool SpecReader::ReadDTypeKey(const YamlNode::Entry& entry, DType& key) {
  const auto dtype = FindDType(entry.key);
  if (dtype && NameOf(*dtype) == entry.key) {
    key = *dtype;
    return true;
  }
  Complain(
      entry.where,
      "unknown number format",
      dtype ? "write '" + std::string(NameOf(*dtype)) + "'" : "use " + JoinWithOr(DTypeNames()));
  return false;
}

void SpecReader::CheckSign(const YamlNode& node, double value, FieldRule rule) {
  // Far outside what anything real has; inside, no product or quotient of figures overflows.
  constexpr double kLeast = 1e-15;
  constexpr double kMost = 1e24;
  if (rule == FieldRule::kChoice) return;
  const bool zero_too = rule == FieldRule::kMayBeZero;
  if (zero_too ? value < 0 : !(value > 0)) {
    Complain(node.where(), Shown(node) + (zero_too ? " is negative" : " is not positive"));
  } else if (value != 0 && (value < kLeast || value > kMost)) {
    Complain(node.where(), Shown(node) + " is beyond anything real", "check number and unit");
  }
}

void SpecReader::ReadOwnReferences(const YamlNode& node) {
  const YamlNode* own = node.Find("references");
  if (own == nullptr) return;
  try {
    for (auto& [key, reference] : ReadReferences(*own, "references")) {
      own_.emplace(key, std::make_shared<const Reference>(reference));
    }
  } catch (const SpecError& error) {
    problems_.insert(problems_.end(), error.problems().begin(), error.problems().end());
    // What cites them is not at fault.
    Reference any;
    any.kind = SourceKind::kMeasured;
    for (const auto& entry : own->entries()) {
      own_.emplace(entry.key, std::make_shared<const Reference>(any));
    }
  }
}

const Reference* SpecReader::FindReference(const std::string& key) const {
  if (const auto own = own_.find(key); own != own_.end()) return own->second.get();
  const auto known = references_.find(key);
  return known == references_.end() ? nullptr : &known->second;
}

const std::string* SpecReader::ProvenanceText(const YamlNode& node, std::string_view key) {
  const YamlNode* value = node.Find(key);
  if (value == nullptr) return nullptr;
  if (value->IsScalar() && !value->scalar().empty()) return &value->scalar();
  ComplainBelow(key, value->where(), Shown(*value) + " where text is needed", "");
  figures_.usable = false;
  return nullptr;
}

SpecReader::Figures SpecReader::EnterSource(const YamlNode& node, bool has_kind) {
  Figures outer = figures_;
  // What is wrong here is one problem, however many figures lie below.
  if (const std::string* from = ProvenanceText(node, "from")) {
    figures_ = {*from, "", "", true};
    if (FindReference(*from) == nullptr) {
      std::vector<std::string> keys;
      for (const auto& [key, reference] : references_) keys.push_back(key);
      for (const auto& [key, reference] : own_) keys.push_back(key);
      const auto nearest = NearestName(*from, keys);
      ComplainBelow(
          "from",
          node.Find("from")->where(),
          "no reference " + Quoted(*from),
          nearest ? "did you mean '" + *nearest + "'?" : "add it to 'references:' of this file");
      figures_.usable = false;
    }
  }
  if (has_kind) {
    if (const std::string* kind = ProvenanceText(node, "kind")) {
      figures_.kind = *kind;
      if (!FindSourceKind(*kind)) {
        ComplainBelow("kind",
                      node.Find("kind")->where(),
                      "unknown kind " + Quoted(*kind),
                      "use " + JoinWithOr(SourceKindNames()));
        figures_.usable = false;
      }
    }
  }
  if (const std::string* note = ProvenanceText(node, "note")) figures_.note = *note;
  return outer;
}

void SpecReader::RecordSource(const YamlNode& node) {
  if (!figures_.usable) return;
  if (figures_.from.empty()) {
    Complain(
        node.where(), "no source", "add 'from: <reference key>' here or on an enclosing block");
    return;
  }
  const Reference* reference = FindReference(figures_.from);
  const SourceKind kind = FindSourceKind(figures_.kind).value_or(reference->kind);
  const bool explained = !figures_.note.empty() || !reference->note.empty();
  if ((kind == SourceKind::kAssumed || kind == SourceKind::kDerived) && !explained) {
    Complain(node.where(),
             "no note, which every " + std::string(NameOf(kind)) + " figure needs",
             "add 'note:' that says how it was come by");
    return;
  }
  const auto own = own_.find(figures_.from);
  sources_[path_] = {
      figures_.from, kind, figures_.note, node.where(), own == own_.end() ? nullptr : own->second};
}

}  // namespace roofcast
