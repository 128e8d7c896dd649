// SPDX-License-Identifier: Apache-2.0
#include "core/node.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace roofcast {

void Node::Add(Node child) {
  time += child.time;
  hidden += child.hidden;
  bytes += child.bytes;
  children.push_back(std::move(child));
}

Node Node::Repeated(std::int64_t times) const {
  Node copy = *this;
  copy.time = time * times;
  copy.hidden = hidden * times;
  copy.count = count * times;
  copy.low = low * times;
  copy.high = high * times;
  for (Node& child : copy.children) child = child.Repeated(times);
  return copy;
}

std::array<Seconds, 4> TimeByBound(const Node& node) {
  std::array<Seconds, 4> times{};
  if (node.children.empty()) {
    times[static_cast<std::size_t>(node.bound)] = node.time;
    return times;
  }
  for (const Node& child : node.children) {
    const auto below = TimeByBound(child);
    for (std::size_t i = 0; i < times.size(); ++i) times[i] += below[i];
  }
  return times;
}

void SettleBounds(Node& node) {
  for (Node& child : node.children) SettleBounds(child);
  if (node.children.empty()) return;
  const auto times = TimeByBound(node);
  const auto largest = std::max_element(times.begin(), times.end());
  node.bound = static_cast<Bound>(largest - times.begin());
}

namespace {
struct FamilySpread {
  double below = 0;  // seconds
  double above = 0;
};

void Gather(const Node& node, std::map<std::string_view, FamilySpread>& families, double& covered) {
  for (const Node& child : node.children) Gather(child, families, covered);
  if (!node.children.empty() || node.family.empty()) return;
  covered += node.time.value();
  FamilySpread& spread = families[node.family];
  spread.below += (node.time - node.low).value();
  spread.above += (node.high - node.time).value();
}
}  // namespace

std::optional<std::pair<Seconds, Seconds>> SpreadOf(const Node& node) {
  std::map<std::string_view, FamilySpread> families;
  double covered = 0;
  Gather(node, families, covered);
  if (!(covered > 0)) return std::nullopt;
  double below = 0;
  double above = 0;
  for (const auto& [family, spread] : families) {
    below += spread.below * spread.below;
    above += spread.above * spread.above;
  }
  const double scale = node.time.value() / covered;
  return std::pair{node.time - Seconds(std::sqrt(below) * scale),
                   node.time + Seconds(std::sqrt(above) * scale)};
}

const Node* FindChild(const Node& node, std::string_view name) {
  for (const Node& child : node.children) {
    if (child.name == name) return &child;
  }
  return nullptr;
}

}  // namespace roofcast
