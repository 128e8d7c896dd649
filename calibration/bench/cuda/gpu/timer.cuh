// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "calibration/bench/cuda/gpu/gpu.cuh"
#include "calibration/bench/cuda/options.h"
#include "calibration/bench/cuda/samples.h"

namespace roofcast::bench::cuda {

// Puts one operator, working on copy `copy`, into a stream.
using Submit = std::function<void(cudaStream_t stream, std::int64_t copy)>;

class Event {
 public:
  Event() { ROOFCAST_GPU(cudaEventCreate(&event_)); }
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&&) = delete;
  ~Event() {
    if (event_ != nullptr) cudaEventDestroy(event_);
  }
  operator cudaEvent_t() const { return event_; }  // NOLINT: it stands for it

 private:
  cudaEvent_t event_ = nullptr;
};
double MicrosecondsBetween(const Event& start, const Event& stop);

// What `submit` puts into a stream, as a graph that can be replayed.
class Graph {
 public:
  // `submit_all` fills the stream, which is being captured.
  Graph(cudaStream_t stream, const std::function<void()>& submit_all);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();
  void Launch(cudaStream_t stream) const;

 private:
  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
};

// Times an operator: a graph of it over the copies in turn is replayed between events, warm-ups
// first; the median over replays counts. No launch by the host is in it, the gap between two nodes
// of a graph is.
Latency TimeOperator(const Options& options, std::int64_t copies, const Submit& submit);

}  // namespace roofcast::bench::cuda
