// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/form_rows.h"
#include "models/kernels/kv_splits.h"

namespace roofcast {

// Kernel choices to try, built field by field.
class Choices {
 public:
  // Each choice so far with each of the values.
  Choices& Try(std::string_view field, const std::vector<std::int64_t>& values) {
    std::vector<KernelChoice> more;
    more.reserve(choices_.size() * values.size());
    for (const KernelChoice& choice : choices_) {
      for (const std::int64_t value : values) {
        more.push_back(choice);
        more.back()[std::string(field)] = value;
      }
    }
    choices_ = std::move(more);
    return *this;
  }
  Choices& Set(std::string_view field, std::int64_t value) { return Try(field, {value}); }
  Choices& Set(std::string_view field, SplitRule rule) {
    return Set(field, static_cast<std::int64_t>(rule));
  }
  std::vector<KernelChoice> Take() { return std::move(choices_); }

 private:
  std::vector<KernelChoice> choices_ = {{}};
};

}  // namespace roofcast
