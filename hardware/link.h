// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/fields.h"
#include "core/quantity.h"
#include "core/source.h"

namespace roofcast {

enum class LinkKind : std::uint8_t { kNvlink, kPcie, kXgmi, kInfiniband, kEthernet, kIci, kHost };
template <>
struct EnumNames<LinkKind> {
  static constexpr std::array<std::pair<LinkKind, std::string_view>, 7> kNames = {{
      {LinkKind::kNvlink, "nvlink"},
      {LinkKind::kPcie, "pcie"},
      {LinkKind::kXgmi, "xgmi"},
      {LinkKind::kInfiniband, "infiniband"},
      {LinkKind::kEthernet, "ethernet"},
      {LinkKind::kIci, "ici"},
      {LinkKind::kHost, "host"},
  }};
};

// One cable, lane bundle or network port. Bandwidth is per direction: what vendors print for
// NVLink is both directions added.
struct Link {
  std::string name;
  std::string title;
  std::vector<std::string> aliases;
  LinkKind kind = LinkKind::kNvlink;
  Bandwidth bandwidth_per_direction;
  std::optional<Seconds> latency;

  Sources sources;
  std::string file;

  template <class V>
  static void Fields(V& v) {
    v("name", &Link::name, "kebab-case");
    v("title", &Link::title, "full name");
    v("aliases", &Link::aliases, "other names");
    v("kind", &Link::kind, "nvlink, pcie, xgmi, infiniband, ethernet, ici or host");
    v("bandwidth_per_direction", &Link::bandwidth_per_direction, "of one link, one direction");
    v("latency", &Link::latency, "one hop as a step of a collective sees it");
  }
};

}  // namespace roofcast
