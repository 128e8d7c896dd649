// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/quantity.h"

namespace roofcast {

// One pipeline stage: forward and backward of one micro-batch.
struct StageCost {
  Seconds forward;
  Seconds backward;
};

// Makespan of one-forward-one-backward over unequal stages and how often each task lies on the
// critical path, so that time can be told apart without a remainder:
//   makespan = sum over stages of forwards[s] f_s + backwards[s] b_s + transfers * transfer.
struct ScheduleResult {
  Seconds makespan;
  std::vector<std::int64_t> forwards;
  std::vector<std::int64_t> backwards;
  std::int64_t transfers = 0;
};

// Exact recurrence of 1F1B: stage s runs min(micro_batches, stages - s) forwards, then alternates
// one backward and one forward, then drains. With equal stages and no transfer it gives
// (m + p - 1)(f + b) [narayanan2021megatron]. O(stages * micro_batches) time.
// Throws ArgumentError above 20 million tasks.
ScheduleResult OneForwardOneBackward(const std::vector<StageCost>& stages,
                                     std::int64_t micro_batches,
                                     Seconds transfer);

}  // namespace roofcast
