// SPDX-License-Identifier: Apache-2.0
#include "models/steps/compose.h"

#include <algorithm>
#include <utility>

namespace roofcast {
namespace {

Node* FindMutable(std::vector<Node>& nodes, const Node& like) {
  const auto found = std::find_if(nodes.begin(), nodes.end(), [&](const Node& node) {
    return node.name == like.name && node.kind == like.kind &&
           (node.kind == NodeKind::kGroup || node.bound == like.bound);
  });
  return found == nodes.end() ? nullptr : &*found;
}

Node Leaf(const Work& work, const Cluster& cluster, Estimator& estimator) {
  Node leaf;
  leaf.name = std::string(work.name);
  if (const auto* op = std::get_if<Op>(&work.what)) {
    const Estimate& estimate = estimator.Of(*op);
    leaf.kind = NodeKind::kOperator;
    leaf.time = estimate.cost.time;
    leaf.bound = estimate.cost.bound;
    leaf.mode = estimate.mode;
    leaf.family = estimate.family;
    leaf.low = leaf.time * estimate.low;
    leaf.high = leaf.time * estimate.high;
    leaf.expected_error = estimate.expected_error;
  } else {
    const Cost<double> cost =
        CostOf<double>(std::get<Collective>(work.what), cluster.topology, estimator.coefficients());
    leaf.kind = NodeKind::kCollective;
    leaf.time = cost.time;
    leaf.bound = cost.bound;
    leaf.family = "collective";
    leaf.low = leaf.time / kAssumedFactor;
    leaf.high = leaf.time * kAssumedFactor;
  }
  return leaf;
}

}  // namespace

void Merge(Node& whole, const Node& part, std::int64_t times) {
  if (times == 0) return;
  whole.time += part.time * times;
  whole.hidden += part.hidden * times;
  for (const Node& child : part.children) {
    Node* same = FindMutable(whole.children, child);
    if (same == nullptr) {
      whole.children.push_back(child.Repeated(times));
      continue;
    }
    same->count += child.count * times;
    if (child.children.empty()) {
      same->time += child.time * times;
      same->hidden += child.hidden * times;
      same->low += child.low * times;
      same->high += child.high * times;
    } else {
      Merge(*same, child, times);
    }
  }
}

Node ComposeWork(std::string name,
                 const WorkList& work,
                 const Cluster& cluster,
                 Estimator& estimator) {
  Node whole;
  whole.name = std::move(name);
  for (const Work& item : work) {
    Node once;  // a group of this one leaf, to be merged into the group of that name
    once.Add(Leaf(item, cluster, estimator));
    whole.time += once.time;
    Node group;
    group.name = std::string(item.group);
    Node* same = FindMutable(whole.children, group);
    if (same == nullptr) {
      whole.children.push_back(std::move(group));
      same = &whole.children.back();
    }
    Merge(*same, once, 1);
  }
  return whole;
}

Node CollectiveNode(std::string name,
                    const Collective& collective,
                    const Cluster& cluster,
                    Estimator& estimator) {
  Node leaf = Leaf({"", "", collective}, cluster, estimator);
  leaf.name = std::move(name);
  return leaf;
}

}  // namespace roofcast
