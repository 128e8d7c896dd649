// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace roofcast {

// How a figure came about; the order is from best to least known.
enum class SourceKind : std::uint8_t { kMeasured, kFitted, kDatasheet, kPaper, kDerived, kAssumed };

std::string_view NameOf(SourceKind kind);
std::optional<SourceKind> FindSourceKind(std::string_view name);
std::vector<std::string> SourceKindNames();

// One entry of references.yaml, the only bibliography; `[key]` in a comment of the code names one.
struct Reference {
  std::string title;
  std::string publisher;
  std::int64_t year = 0;  // 0 when not known
  std::string url;        // empty when there is no public address
  SourceKind kind = SourceKind::kAssumed;
  std::string note;
};
using References = std::map<std::string, Reference>;

// Where one figure of a spec comes from.
struct Source {
  std::string key;  // of references.yaml, or of the file's own `references:`
  SourceKind kind = SourceKind::kAssumed;
  std::string note;
  Location place;                                  // where the figure was read
  std::shared_ptr<const Reference> own = nullptr;  // the file's own reference, when it brought one
};

// Key path of the figure ("memory.bandwidth") -> its source.
using Sources = std::map<std::string, Source>;

class YamlNode;
// Reads a bibliography; throws SpecError with every problem. `path` is the key path of the block
// inside its file: empty for a file of references.
References ReadReferences(const YamlNode& node, const std::string& path = "");
// The built-in bibliography, read once.
const References& BuiltInReferences();

}  // namespace roofcast
