// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/schedule.h"

#include <algorithm>

#include "core/error.h"

namespace roofcast {
namespace {

constexpr std::int64_t kMostTasks = 20'000'000;

// A task is the forward or backward of one micro-batch on one stage. Tasks of a stage run in a
// fixed order; each also waits for a neighbour's task. `from_neighbour` remembers which of the two
// it waited for, so that the critical path can be walked back.
class Recurrence {
 public:
  Recurrence(const std::vector<StageCost>& stages, std::int64_t micro_batches, Seconds transfer)
      : stages_(stages),
        p_(static_cast<std::int64_t>(stages.size())),
        m_(micro_batches),
        transfer_(transfer),
        end_(stages.size() * static_cast<std::size_t>(2 * micro_batches)),
        from_neighbour_(end_.size(), false) {}

  ScheduleResult Run() {
    // Position in each stage's order; a task can run when its neighbour's has an end.
    std::vector<std::int64_t> next(stages_.size(), 0);
    std::vector<bool> done(end_.size(), false);
    std::int64_t left = p_ * 2 * m_;
    while (left > 0) {
      const std::int64_t before = left;
      for (std::int64_t s = 0; s < p_; ++s) {
        std::int64_t& position = next[static_cast<std::size_t>(s)];
        while (position < 2 * m_) {
          const Task task = TaskAt(s, position);
          const std::int64_t neighbour = NeighbourOf(task);
          if (neighbour >= 0 && !done[static_cast<std::size_t>(neighbour)]) break;
          Finish(task, position, neighbour);
          done[Index(task)] = true;
          ++position;
          --left;
        }
      }
      ROOFCAST_CHECK(left < before);  // 1F1B has no cycle
    }
    return WalkBack();
  }

 private:
  struct Task {
    std::int64_t stage;
    std::int64_t micro_batch;
    bool forward;
  };

  // Order of stage s: warm-up forwards, then one forward and one backward in turn, then the rest.
  Task TaskAt(std::int64_t s, std::int64_t position) const {
    const std::int64_t warm_up = std::min(m_, p_ - s - 1);
    if (position < warm_up) return {s, position, true};
    const std::int64_t steady = position - warm_up;
    const std::int64_t pairs = m_ - warm_up;
    if (steady < 2 * pairs) {
      return steady % 2 == 0 ? Task{s, warm_up + steady / 2, true} : Task{s, steady / 2, false};
    }
    return {s, pairs + (steady - 2 * pairs), false};
  }

  std::size_t Index(const Task& task) const {
    const std::int64_t kind = task.forward ? 0 : 1;
    return static_cast<std::size_t>((task.stage * 2 + kind) * m_ + task.micro_batch);
  }

  // The task of another stage that this one waits for, or -1. The last stage's backward follows
  // its own forward, which its order already says.
  std::int64_t NeighbourOf(const Task& task) const {
    if (task.forward && task.stage > 0) {
      return static_cast<std::int64_t>(Index({task.stage - 1, task.micro_batch, true}));
    }
    if (!task.forward && task.stage + 1 < p_) {
      return static_cast<std::int64_t>(Index({task.stage + 1, task.micro_batch, false}));
    }
    return -1;
  }

  void Finish(const Task& task, std::int64_t position, std::int64_t neighbour) {
    const StageCost& cost = stages_[static_cast<std::size_t>(task.stage)];
    Seconds start;
    if (position > 0) start = end_[Index(TaskAt(task.stage, position - 1))];
    if (neighbour >= 0) {
      const Seconds arrives = end_[static_cast<std::size_t>(neighbour)] + transfer_;
      if (arrives > start) {
        start = arrives;
        from_neighbour_[Index(task)] = true;
      }
    }
    end_[Index(task)] = start + (task.forward ? cost.forward : cost.backward);
  }

  std::int64_t PositionOf(const Task& task) const {
    const std::int64_t warm_up = std::min(m_, p_ - task.stage - 1);
    const std::int64_t pairs = m_ - warm_up;
    if (task.forward) {
      return task.micro_batch < warm_up ? task.micro_batch
                                        : warm_up + 2 * (task.micro_batch - warm_up);
    }
    return task.micro_batch < pairs ? warm_up + 2 * task.micro_batch + 1
                                    : warm_up + 2 * pairs + (task.micro_batch - pairs);
  }

  ScheduleResult WalkBack() const {
    ScheduleResult result;
    result.forwards.assign(stages_.size(), 0);
    result.backwards.assign(stages_.size(), 0);
    // The last task of the first stage ends the step: every other stage drains before it.
    Task task{0, m_ - 1, false};
    for (std::int64_t s = 1; s < p_; ++s) {
      const Task last = TaskAt(s, 2 * m_ - 1);
      if (end_[Index(last)] > end_[Index(task)]) task = last;
    }
    result.makespan = end_[Index(task)];
    while (true) {
      auto& counts = task.forward ? result.forwards : result.backwards;
      ++counts[static_cast<std::size_t>(task.stage)];
      if (from_neighbour_[Index(task)]) {
        ++result.transfers;
        task.stage += task.forward ? -1 : 1;
        continue;
      }
      const std::int64_t position = PositionOf(task);
      if (position == 0) return result;
      task = TaskAt(task.stage, position - 1);
    }
  }

  const std::vector<StageCost>& stages_;
  std::int64_t p_;
  std::int64_t m_;
  Seconds transfer_;
  std::vector<Seconds> end_;
  std::vector<bool> from_neighbour_;
};

}  // namespace

ScheduleResult OneForwardOneBackward(const std::vector<StageCost>& stages,
                                     std::int64_t micro_batches,
                                     Seconds transfer) {
  ROOFCAST_CHECK(!stages.empty() && micro_batches >= 1);
  const auto count = static_cast<std::int64_t>(stages.size());
  if (count == 1) {
    const StageCost& only = stages.front();
    return {(only.forward + only.backward) * micro_batches, {micro_batches}, {micro_batches}, 0};
  }
  if (micro_batches > kMostTasks / (2 * count)) {
    throw ArgumentError("global-batch: " + std::to_string(micro_batches) + " micro-batches over " +
                        std::to_string(count) +
                        " stages are more than 20 million tasks; use larger micro-batches or "
                        "fewer of them");
  }
  return Recurrence(stages, micro_batches, transfer).Run();
}

}  // namespace roofcast
