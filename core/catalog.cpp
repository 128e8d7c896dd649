// SPDX-License-Identifier: Apache-2.0
#include "core/catalog.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "core/embedded.h"
#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kLargestFile = 16U << 20U;

struct KindRow {
  CatalogKind kind;
  std::string_view folder;    // below a search folder
  std::string_view built_in;  // below the repository
  std::string_view extension;
  std::string_view or_extension = {};  // of the user's own files too
};
constexpr std::array kKinds = {
    KindRow{CatalogKind::kAccelerators, "accelerators", "hardware/catalog/accelerators/", ".yaml"},
    KindRow{CatalogKind::kLinks, "links", "hardware/catalog/links/", ".yaml"},
    KindRow{CatalogKind::kClusters, "clusters", "hardware/catalog/clusters/", ".yaml"},
    KindRow{CatalogKind::kModels, "models", "models/llm/zoo/", ".json", ".yaml"},
    KindRow{CatalogKind::kFits, "fits", "hardware/fits/", ".yaml"},
    KindRow{CatalogKind::kEngines, "engines", "models/engines/", ".yaml"},
};

const KindRow& RowOf(CatalogKind kind) {
  return kKinds[static_cast<std::size_t>(kind)];
}

std::string NameFromStem(std::string stem) {
  std::replace(stem.begin(), stem.end(), '_', '-');
  return stem;
}

std::vector<fs::path> SearchFolders() {
  std::vector<fs::path> folders = {"roofcast"};
  if (const char* path = std::getenv("ROOFCAST_PATH")) {
    for (const std::string& part : Split(path, ':')) {
      if (!part.empty()) folders.emplace_back(part);
    }
  }
  const char* config = std::getenv("XDG_CONFIG_HOME");
  const char* home = std::getenv("HOME");
  if (config != nullptr && *config != '\0') {
    folders.push_back(fs::path(config) / "roofcast");
  } else if (home != nullptr && *home != '\0') {
    folders.push_back(fs::path(home) / ".config" / "roofcast");
  }
  return folders;
}

// Appends the files of a folder, sorted by path: the order of a directory is no order.
void ListFolder(const fs::path& folder,
                const KindRow& row,
                std::set<std::string>& seen,
                std::vector<CatalogFile>& files) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string extension = at->path().extension().string();
    const bool fits =
        extension == row.extension || (!extension.empty() && extension == row.or_extension);
    if (fits && at->is_regular_file(ignored)) paths.push_back(at->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const std::string name = NameFromStem(path.stem().string());
    if (!seen.insert(NormaliseName(name)).second) continue;
    try {
      files.push_back(ReadUserFile(path.string()));
    } catch (const NotFoundError& unreadable) {
      files.push_back({name, {}, path.string(), nullptr, false, unreadable.what()});
    }
  }
}

// At most one byte more than the largest file that is read: a file may grow, and some have no size.
std::string ReadBounded(std::istream& stream) {
  std::string text;
  std::array<char, 1U << 16U> part{};
  while (stream.read(part.data(), part.size()) || stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestFile) break;
  }
  return text;
}

}  // namespace

std::vector<CatalogFile> ListCatalog(CatalogKind kind) {
  const KindRow& row = RowOf(kind);
  std::set<std::string> seen;
  std::vector<CatalogFile> files;
  for (const fs::path& folder : SearchFolders()) {
    ListFolder(folder / row.folder, row, seen, files);
  }
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    if (!file.path.starts_with(row.built_in)) continue;
    const fs::path path(file.path);
    const std::string name = NameFromStem(path.stem().string());
    if (!seen.insert(NormaliseName(name)).second) continue;
    files.push_back({name, file.text, std::string(file.path), nullptr, true, ""});
  }
  return files;
}

CatalogFile ReadUserFile(const std::string& path) {
  constexpr std::size_t kLongestShown = 200;
  const std::string shown = Printable(path.substr(0, kLongestShown));
  std::error_code error;
  const fs::path file(path);
  if (!fs::exists(file, error)) throw NotFoundError(shown + ": no such file; check the path");
  if (!fs::is_regular_file(file, error)) throw NotFoundError(shown + ": not a file; name a file");
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw NotFoundError(shown + ": can't be read; check its permissions");
  std::string text = ReadBounded(stream);
  if (stream.bad()) throw NotFoundError(shown + ": can't be read; check the disk");
  if (text.size() > kLargestFile) {
    throw NotFoundError(shown + ": larger than 16 MiB; name a spec file");
  }
  CatalogFile result;
  result.name = NameFromStem(file.stem().string());
  result.place = path;
  result.owned = std::make_shared<const std::string>(std::move(text));
  result.text = *result.owned;
  return result;
}

bool LooksLikePath(std::string_view text) {
  return text.find('/') != std::string_view::npos || text.ends_with(".yaml") ||
         text.ends_with(".yml") || text.ends_with(".json") || text.ends_with(".args");
}

}  // namespace roofcast
