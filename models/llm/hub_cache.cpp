// SPDX-License-Identifier: Apache-2.0
#include "models/llm/hub_cache.h"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include "core/text.h"

namespace roofcast {
namespace {

namespace fs = std::filesystem;

// A name that stays in its folder.
bool IsPlainWord(std::string_view word) {
  constexpr std::string_view kAllowed =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  return !word.empty() && word.size() <= 200 && word.front() != '.' &&
         word.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::optional<fs::path> FromEnvironment(const char* variable, const fs::path& below) {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return below.empty() ? fs::path(value) : fs::path(value) / below;
}

bool HasConfig(const fs::path& folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "config.json", error);
}

}  // namespace

bool IsHubId(const std::string& text) {
  const auto parts = Split(text, '/');
  return parts.size() == 2 && IsPlainWord(parts[0]) && IsPlainWord(parts[1]) &&
         !text.ends_with(".json");
}

fs::path HubCache() {
  if (const auto path = FromEnvironment("HF_HUB_CACHE", "")) return *path;
  if (const auto path = FromEnvironment("HF_HOME", "hub")) return *path;
  if (const auto path = FromEnvironment("XDG_CACHE_HOME", "huggingface/hub")) return *path;
  return FromEnvironment("HOME", ".cache/huggingface/hub").value_or("huggingface/hub");
}

std::optional<fs::path> FindInHubCache(const std::string& id) {
  const std::size_t slash = id.find('/');
  const fs::path model =
      HubCache() / ("models--" + id.substr(0, slash) + "--" + id.substr(slash + 1));
  const fs::path snapshots = model / "snapshots";
  constexpr std::uintmax_t kLongestRevision = 200;
  std::error_code error;
  const fs::path main = model / "refs" / "main";
  if (fs::is_regular_file(main, error) && fs::file_size(main, error) <= kLongestRevision) {
    std::string revision;
    std::ifstream stream(main);
    std::getline(stream, revision);
    revision = Trim(revision);
    if (IsPlainWord(revision) && HasConfig(snapshots / revision)) return snapshots / revision;
    return std::nullopt;
  }
  std::optional<fs::path> only;
  for (const auto& entry : fs::directory_iterator(snapshots, error)) {
    if (!HasConfig(entry.path())) continue;
    if (only) return std::nullopt;  // no telling which one is meant
    only = entry.path();
  }
  return only;
}

}  // namespace roofcast
