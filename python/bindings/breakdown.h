// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/node.h"

namespace roofcast::python {

// A node of a breakdown together with the tree that it stands in, which it keeps alive.
class TreeNode {
 public:
  explicit TreeNode(const std::shared_ptr<const Node>& root) : root_(root), node_(root.get()) {}

  const Node& operator*() const { return *node_; }
  const Node* operator->() const { return node_; }

  bool OfBytes() const { return node_->kind == NodeKind::kBytes; }
  // Part of the whole tree's time or bytes.
  double Share() const;
  std::vector<TreeNode> Children() const;
  // Itself and all nodes below it, parents first.
  std::vector<TreeNode> Walk() const;
  // Throws NotFoundError.
  TreeNode Child(const std::string& name) const;

 private:
  TreeNode(std::shared_ptr<const Node> root, const Node* node)
      : root_(std::move(root)), node_(node) {}

  std::shared_ptr<const Node> root_;
  const Node* node_;
};

bool SameTree(const Node& a, const Node& b);

// A line of the tree for people.
struct TreeRow {
  std::string name;
  std::string amount;
  std::string share;
  std::string hidden;
  std::string bound;
  std::string count;
  int depth = 0;
};
std::vector<TreeRow> RowsOf(const TreeNode& tree);
// An aligned table of lines, and the same as HTML.
std::string TreeText(const TreeNode& tree);
std::string TreeHtml(const TreeNode& tree);

// Without the last line's end, as print() adds one.
std::string WithoutEnd(std::string text);
std::string EscapeHtml(const std::string& text);

}  // namespace roofcast::python
