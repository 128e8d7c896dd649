// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <vector>

#include "calibration/bench/measured.h"
#include "core/dtype.h"
#include "core/quantity.h"

namespace roofcast::bench {

struct GridChoice {
  bool quick = false;    // fewer and smaller cases
  std::set<Part> parts;  // none: all
  std::vector<DType>
      formats;  // that products are measured in; the rest is in fp32 and bf16 of them
  std::optional<Bytes> last_level_cache;
};

// What is measured. Sizes lie around those of small language models and are never theirs, so that
// a prediction of one (end_to_end.h) is of shapes that no fit has seen.
std::vector<Case> MakeGrid(const GridChoice& choice);

}  // namespace roofcast::bench
