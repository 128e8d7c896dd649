// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>

#include "models/steps/step_time.h"
#include "python/bindings/breakdown.h"

namespace roofcast::python {

// A prediction shared by the Python objects that show parts of it.
class Step {
 public:
  explicit Step(StepTime step) : step_(std::make_shared<const StepTime>(std::move(step))) {}

  const StepTime& operator*() const { return *step_; }
  const StepTime* operator->() const { return step_.get(); }
  TreeNode Breakdown() const { return TreeNode({step_, &step_->breakdown}); }
  TreeNode Ledger() const { return TreeNode({step_, &step_->memory.bytes}); }

 private:
  std::shared_ptr<const StepTime> step_;
};

// What rc.memory returns, and step.memory.
struct MemoryView {
  Step step;
};

}  // namespace roofcast::python
