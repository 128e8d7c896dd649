// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/device_name.h"

#include <vector>

#include "core/text.h"
#include "hardware/catalog.h"

namespace roofcast::bench::cuda {
namespace {

// Letters and digits in lower case, '-' for each run of anything else between them.
std::string KebabCase(std::string_view name) {
  std::string kebab;
  for (const char c : name) {
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      kebab += c;
    } else if (c >= 'A' && c <= 'Z') {
      kebab += static_cast<char>(c - 'A' + 'a');
    } else if (!kebab.empty() && kebab.back() != '-') {
      kebab += '-';
    }
  }
  if (!kebab.empty() && kebab.back() == '-') kebab.pop_back();
  return kebab;
}

}  // namespace

std::string DeviceNameOf(std::string_view reported) {
  std::string_view bare = reported;
  for (const std::string_view vendor : {"NVIDIA ", "Tesla ", "GeForce "}) {
    if (bare.starts_with(vendor)) bare.remove_prefix(vendor.size());
  }
  const std::vector<CatalogName> devices = ListDevices();
  for (const std::string_view spelling : {reported, bare}) {
    const std::string wanted = NormaliseName(spelling);
    for (const CatalogName& device : devices) {
      if (NormaliseName(device.name) == wanted) return device.name;
      for (const std::string& alias : device.aliases) {
        if (NormaliseName(alias) == wanted) return device.name;
      }
    }
  }
  const std::string kebab = KebabCase(bare);
  return kebab.empty() ? "unknown-gpu" : kebab;
}

}  // namespace roofcast::bench::cuda
