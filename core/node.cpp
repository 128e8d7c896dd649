// SPDX-License-Identifier: Apache-2.0
#include "core/node.h"

#include <algorithm>

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

const Node* FindChild(const Node& node, std::string_view name) {
  for (const Node& child : node.children) {
    if (child.name == name) return &child;
  }
  return nullptr;
}

}  // namespace roofcast
