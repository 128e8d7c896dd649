// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace roofcast {

// A data file of the repository, compiled into the library by cmake/embed.cmake.
struct EmbeddedFile {
  std::string_view path;  // relative to the repository, as in "hardware/references.yaml"
  std::string_view text;
};

// All of them, sorted by path (bytewise).
std::span<const EmbeddedFile> EmbeddedFiles();

// SHA-256 in hex over the files of a group, as `sha256sum FILES | sha256sum` gives it: "catalog"
// (hardware/catalog, references, zoo) or "fits" (hardware/fits). Empty for any other name.
std::string_view EmbeddedHash(std::string_view group);

}  // namespace roofcast
