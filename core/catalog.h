// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

// Kinds of files that a name may stand for. Each has a folder of that name below ./roofcast,
// $ROOFCAST_PATH entries and the user's configuration folder.
enum class CatalogKind { kAccelerators, kLinks, kClusters, kModels, kFits, kEngines };

// A file found: its text and what messages call it (a path, or the built-in file's path in the
// project).
struct CatalogFile {
  std::string name;       // stem in kebab-case: h100_sxm.yaml -> h100-sxm
  std::string_view text;  // of `owned`, or of the library itself
  std::string place;
  std::shared_ptr<const std::string> owned;  // keeps the text of a file read from disk
  bool built_in = false;
  std::string unreadable;  // why a file that was found has no text; empty when it has
};

// All files of a kind in search order: ./roofcast, $ROOFCAST_PATH (':'-separated), the user's
// configuration folder ($XDG_CONFIG_HOME/roofcast or ~/.config/roofcast), built in. A name found
// earlier hides later ones; a file that can't be read is listed too, since it hides them as well.
std::vector<CatalogFile> ListCatalog(CatalogKind kind);

// Reads a file that the user named. Throws NotFoundError when it can't be read or is no file.
CatalogFile ReadUserFile(const std::string& path);

// True when `text` is meant as a path: it has a '/', or ends in .yaml, .yml, .json or .args.
bool LooksLikePath(std::string_view text);

}  // namespace roofcast
