// SPDX-License-Identifier: Apache-2.0
// What several tests need.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

namespace roofcast::testing {

// The message that `call` fails with, or "no error".
template <class Call>
std::string MessageOf(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline std::string ReadAll(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline std::filesystem::path SourceDir() {
  return ROOFCAST_SOURCE_DIR;
}

// An empty folder that is the working directory as long as it lives. No search folder of the
// machine is seen from it: the environment variables that name them point into it.
class Sandbox {
 public:
  Sandbox() : before_(std::filesystem::current_path()) {
    std::string pattern = (std::filesystem::temp_directory_path() / "roofcast-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    std::filesystem::current_path(folder_);
    Set("ROOFCAST_PATH", "");
    Set("XDG_CONFIG_HOME", (folder_ / "xdg").string());
    Set("HOME", (folder_ / "home").string());
  }
  ~Sandbox() {
    for (const auto& [name, value] : variables_) {
      value ? ::setenv(name.c_str(), value->c_str(), 1) : ::unsetenv(name.c_str());
    }
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    std::filesystem::remove_all(folder_, ignored);
  }
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  void Set(const std::string& name, const std::string& value) {
    const char* old = std::getenv(name.c_str());
    variables_.emplace(
        variables_.begin(), name, old == nullptr ? std::nullopt : std::optional<std::string>(old));
    ::setenv(name.c_str(), value.c_str(), 1);
  }
  void Unset(const std::string& name) {
    Set(name, "");
    ::unsetenv(name.c_str());
  }
  // Writes a file below the folder, with the folders above it.
  void Write(const std::string& path, std::string_view text) const {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

 private:
  std::filesystem::path before_;
  std::filesystem::path folder_;
  std::vector<std::pair<std::string, std::optional<std::string>>> variables_;
};

}  // namespace roofcast::testing
