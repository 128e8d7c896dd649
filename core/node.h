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

namespace roofcast {

// What limits an operator or a step.
enum class Bound : std::uint8_t { kCompute, kMemory, kNetwork, kHost };
template <>
struct EnumNames<Bound> {
  static constexpr std::array<std::pair<Bound, std::string_view>, 4> kNames = {{
      {Bound::kCompute, "compute"},
      {Bound::kMemory, "memory"},
      {Bound::kNetwork, "network"},
      {Bound::kHost, "host"},
  }};
};

enum class NodeKind : std::uint8_t { kOperator, kCollective, kHost, kGroup, kBytes };
template <>
struct EnumNames<NodeKind> {
  static constexpr std::array<std::pair<NodeKind, std::string_view>, 5> kNames = {{
      {NodeKind::kOperator, "operator"},
      {NodeKind::kCollective, "collective"},
      {NodeKind::kHost, "host"},
      {NodeKind::kGroup, "group"},
      {NodeKind::kBytes, "bytes"},
  }};
};

// How an operator's time was had.
enum class EstimateMode : std::uint8_t {
  kAnalytical,  // a form with fitted or assumed coefficients
  kHybrid,      // the same with a smooth correction fitted to its residuals
  kTable,       // between measurements of the user's own
};
template <>
struct EnumNames<EstimateMode> {
  static constexpr std::array<std::pair<EstimateMode, std::string_view>, 3> kNames = {{
      {EstimateMode::kAnalytical, "analytical"},
      {EstimateMode::kHybrid, "hybrid"},
      {EstimateMode::kTable, "table"},
  }};
};

// A line of a breakdown of time or of memory. Time is exposed time: each instant of the critical
// path belongs to one leaf, so that a group is the sum of its children; `hidden` runs beside it
// and stands outside the sum. A node of kind kBytes holds bytes instead.
struct Node {
  std::string name;
  NodeKind kind = NodeKind::kGroup;
  Seconds time;
  Seconds hidden;
  Bytes bytes;
  Bound bound = Bound::kCompute;
  std::int64_t count = 1;  // how often it runs in the step
  // Of a leaf: how its time was had, and where 90 % of measurements of it would lie. Errors of one
  // family go together, those of two are independent; a leaf without a family has no interval of
  // its own (waiting for others).
  EstimateMode mode = EstimateMode::kAnalytical;
  std::string family;
  Seconds low;
  Seconds high;
  double expected_error = 0;  // cross-validated MAPE of its fit, %; 0 where there is none
  std::vector<Node> children;

  // Appends a child and adds its figures to this group; the bound of a group is the bound with the
  // most exposed time below it (see SettleBounds).
  void Add(Node child);
  // The same tree with every time and count multiplied, as `times` repetitions.
  Node Repeated(std::int64_t times) const;
};

// Exposed time of the leaves below a node, by bound.
std::array<Seconds, 4> TimeByBound(const Node& node);
// Sets the bound of every group from its leaves.
void SettleBounds(Node& node);
// Where 90 % of measurements of the whole would lie, from its leaves: the distances of one family
// add up, those of different families add as squares. Leaves without a family scale with the rest.
// nullopt when no leaf has one.
std::optional<std::pair<Seconds, Seconds>> SpreadOf(const Node& node);
// The child of that name, or nullptr.
const Node* FindChild(const Node& node, std::string_view name);

}  // namespace roofcast
