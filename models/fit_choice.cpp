// SPDX-License-Identifier: Apache-2.0
#include "models/fit_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "core/catalog.h"
#include "core/error.h"
#include "core/text.h"
#include "hardware/catalog.h"

namespace roofcast {
namespace {

constexpr std::string_view kAssumed = "assumed";
constexpr std::string_view kPooled = "pooled";

std::shared_ptr<const Fit> ReadOnce(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const Fit>> known;
  const std::scoped_lock lock(mutex);
  auto& fit = known[name];
  if (fit == nullptr) fit = std::make_shared<const Fit>(LoadFit(name));
  return fit;
}

bool HasHbm(const Device& device) {
  return device.memory.technology.starts_with("HBM");
}

// How unlike two siblings are: by the octaves between their sizes.
double Distance(const Device& one, const Device& other) {
  const double units = Number(one.compute_units) / Number(other.compute_units);
  const double bandwidth = one.memory.bandwidth / other.memory.bandwidth;
  return std::abs(std::log2(units)) + std::abs(std::log2(bandwidth));
}

std::optional<Device> FindDevice(const std::string& name) {
  try {
    return LoadDevice(name);
  } catch (const NotFoundError&) {
    return std::nullopt;  // a user's fit of a device that has gone
  }
}

// The fit of the nearest sibling, or "".
std::string SiblingOf(const Device& device, const std::vector<std::string>& fits) {
  std::string nearest;
  double least = 0;
  for (const std::string& name : fits) {
    const auto other = FindDevice(name);
    if (!other || !AreSiblings(device, *other)) continue;
    const double distance = Distance(device, *other);
    if (nearest.empty() || distance < least) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

}  // namespace

bool AreSiblings(const Device& one, const Device& other) {
  return one.architecture == other.architecture && HasHbm(one) == HasHbm(other);
}

std::vector<FitChoice> FitsFor(const Device& device) {
  std::vector<std::string> of_devices;
  bool has_own = false;
  bool has_pooled = false;
  for (const CatalogFile& file : ListCatalog(CatalogKind::kFits)) {
    if (NormaliseName(file.name) == kAssumed) continue;
    if (NormaliseName(file.name) == kPooled) {
      has_pooled = true;
    } else if (NormaliseName(file.name) == NormaliseName(device.name)) {
      has_own = true;
    } else {
      of_devices.push_back(file.name);
    }
  }
  std::vector<FitChoice> choices;
  if (has_own) choices.push_back({ReadOnce(device.name), Transfer::kOwn});
  const std::string sibling = SiblingOf(device, of_devices);
  if (!sibling.empty()) choices.push_back({ReadOnce(sibling), Transfer::kSibling});
  if (has_pooled) choices.push_back({ReadOnce(std::string(kPooled)), Transfer::kGeneration});
  choices.push_back({ReadOnce(std::string(kAssumed)), Transfer::kGeneration});
  return choices;
}

std::vector<FitChoice> OnlyFit(const Fit& fit) {
  return {{std::make_shared<const Fit>(fit), Transfer::kOwn}};
}

}  // namespace roofcast
