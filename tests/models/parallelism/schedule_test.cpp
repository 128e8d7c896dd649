// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/schedule.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <random>

#include "core/error.h"

namespace roofcast {
namespace {

// 1F1B as workers live it: each keeps at most `stages - s` micro-batches that went forward and not
// back, goes forward when it may, else back, and sleeps until the tensor it needs next is there.
class EventSimulation {
 public:
  EventSimulation(const std::vector<StageCost>& stages, std::int64_t micro_batches, double transfer)
      : stages_(stages),
        micro_batches_(micro_batches),
        transfer_(transfer),
        workers_(stages.size()) {
    for (auto& worker : workers_) {
      worker.activations.assign(static_cast<std::size_t>(micro_batches), kNever);
      worker.gradients.assign(static_cast<std::size_t>(micro_batches), kNever);
    }
    std::fill(workers_.front().activations.begin(), workers_.front().activations.end(), 0);
  }

  double Run() {
    for (std::size_t s = 0; s < workers_.size(); ++s) events_.push({0, s});
    double end = 0;
    while (!events_.empty()) {
      const auto [now, s] = events_.top();
      events_.pop();
      Wake(now, s);
      end = std::max(end, workers_[s].free_at);
    }
    return end;
  }

 private:
  static constexpr double kNever = 1e300;
  struct Worker {
    std::int64_t forwards = 0;
    std::int64_t backwards = 0;
    double free_at = 0;
    std::vector<double> activations;  // when each micro-batch arrives
    std::vector<double> gradients;
  };

  void Wake(double now, std::size_t s) {
    Worker& worker = workers_[s];
    if (worker.free_at > now || worker.backwards == micro_batches_) return;
    const auto limit = static_cast<std::int64_t>(workers_.size() - s);
    const bool forward =
        worker.forwards < micro_batches_ && worker.forwards - worker.backwards < limit;
    const auto next = static_cast<std::size_t>(forward ? worker.forwards : worker.backwards);
    const double ready = forward ? worker.activations[next] : worker.gradients[next];
    if (ready > now) return;  // an event will come with the tensor
    const StageCost& cost = stages_[s];
    worker.free_at = now + (forward ? cost.forward : cost.backward).value();
    ++(forward ? worker.forwards : worker.backwards);
    events_.push({worker.free_at, s});
    const bool last = s + 1 == workers_.size();
    if (forward && last) {
      worker.gradients[next] = worker.free_at;  // the loss is its own
    } else if (forward) {
      Deliver(s + 1, workers_[s + 1].activations[next], worker.free_at);
    } else if (s > 0) {
      Deliver(s - 1, workers_[s - 1].gradients[next], worker.free_at);
    }
  }
  void Deliver(std::size_t to, double& slot, double sent) {
    slot = sent + transfer_;
    events_.push({slot, to});
  }

  const std::vector<StageCost>& stages_;
  std::int64_t micro_batches_;
  double transfer_;
  std::vector<Worker> workers_;
  using Event = std::pair<double, std::size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

double SumOf(const ScheduleResult& result, const std::vector<StageCost>& stages, Seconds transfer) {
  double sum = static_cast<double>(result.transfers) * transfer.value();
  for (std::size_t s = 0; s < stages.size(); ++s) {
    sum += static_cast<double>(result.forwards[s]) * stages[s].forward.value() +
           static_cast<double>(result.backwards[s]) * stages[s].backward.value();
  }
  return sum;
}

}  // namespace

TEST_CASE("equal stages without transfers take (m + p - 1)(f + b)") {
  const StageCost stage{Seconds(1.25), Seconds(2.5)};
  for (const std::int64_t p : {1, 2, 3, 4, 8, 16}) {
    for (const std::int64_t m : {1, 2, 3, 7, 8, 64}) {
      CAPTURE(p);
      CAPTURE(m);
      const std::vector<StageCost> stages(static_cast<std::size_t>(p), stage);
      const ScheduleResult result = OneForwardOneBackward(stages, m, Seconds(0));
      CHECK(result.makespan.value() == static_cast<double>(m + p - 1) * 3.75);
    }
  }
}

TEST_CASE("the recurrence equals an event simulation of random unequal pipelines") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> seconds(0.1, 3);
  for (int round = 0; round < 500; ++round) {
    const auto p = std::uniform_int_distribution<std::size_t>(1, 9)(random);
    const auto m = std::uniform_int_distribution<std::int64_t>(1, 24)(random);
    const Seconds transfer(round % 4 == 0 ? 0 : seconds(random) * 0.4);
    std::vector<StageCost> stages;
    for (std::size_t s = 0; s < p; ++s) {
      stages.push_back({Seconds(seconds(random)), Seconds(seconds(random))});
    }
    CAPTURE(round);
    CAPTURE(p);
    CAPTURE(m);
    const ScheduleResult result = OneForwardOneBackward(stages, m, transfer);
    const double simulated = EventSimulation(stages, m, transfer.value()).Run();
    CHECK(result.makespan.value() == doctest::Approx(simulated).epsilon(1e-12));
    CHECK(SumOf(result, stages, transfer) == doctest::Approx(simulated).epsilon(1e-12));
  }
}

TEST_CASE("one micro-batch goes through all stages and back") {
  const std::vector<StageCost> stages = {
      {Seconds(1), Seconds(2)}, {Seconds(3), Seconds(4)}, {Seconds(5), Seconds(6)}};
  const ScheduleResult result = OneForwardOneBackward(stages, 1, Seconds(0.5));
  CHECK(result.makespan.value() == 21 + 4 * 0.5);
  CHECK(result.transfers == 4);
  CHECK(result.forwards == std::vector<std::int64_t>{1, 1, 1});
  CHECK(result.backwards == std::vector<std::int64_t>{1, 1, 1});
}

TEST_CASE("one stage has no bubble, and many micro-batches cost no memory") {
  const ScheduleResult result =
      OneForwardOneBackward({{Seconds(1), Seconds(2)}}, 1'000'000'000, Seconds(9));
  CHECK(result.makespan == Seconds(3e9));
  CHECK(result.transfers == 0);
  CHECK(result.forwards == std::vector<std::int64_t>{1'000'000'000});
}

TEST_CASE("the slowest stage sets the pace once the pipeline is full") {
  std::vector<StageCost> stages(4, {Seconds(1), Seconds(2)});
  stages[2] = {Seconds(2), Seconds(4)};
  const double hundred = OneForwardOneBackward(stages, 100, Seconds(0)).makespan.value();
  const double more = OneForwardOneBackward(stages, 101, Seconds(0)).makespan.value();
  CHECK(more - hundred == doctest::Approx(6));
}

TEST_CASE("a schedule too long to walk is refused with the cure") {
  const std::vector<StageCost> stages(80, {Seconds(1), Seconds(2)});
  CHECK_THROWS_WITH_AS(
      OneForwardOneBackward(stages, 10'000'000, Seconds(0)),
      "global-batch: 10000000 micro-batches over 80 stages are more than 20 million tasks; use "
      "larger micro-batches or fewer of them",
      ArgumentError);
  CHECK_THROWS_AS(OneForwardOneBackward({}, 1, Seconds(0)), std::logic_error);
}

}  // namespace roofcast
