// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/host.cuh"

#include <chrono>
#include <functional>

#include "calibration/bench/cuda/gpu/kernels.cuh"
#include "calibration/bench/cuda/gpu/timer.cuh"

namespace roofcast::bench::cuda {
namespace {

// Host memory that the GPU reaches by itself.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::int64_t bytes) {
    ROOFCAST_GPU(cudaMallocHost(&data_, static_cast<std::size_t>(bytes)));
  }
  PinnedBuffer(const PinnedBuffer&) = delete;
  PinnedBuffer& operator=(const PinnedBuffer&) = delete;
  ~PinnedBuffer() { cudaFreeHost(data_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
};

// By the host's clock: many launches, then one wait. What bounds a stream of small kernels is the
// slower of host and device, and that is what this shows.
Latency TimeLaunches(const Options& options,
                     const Stream& stream,
                     const std::function<void()>& launch) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLaunches = 500;  // below the length of the queue, at which a launch waits
  std::vector<double> times;
  for (std::int64_t i = 0; i < options.warm_ups + options.replays; ++i) {
    const auto start = Clock::now();
    for (int j = 0; j < kLaunches; ++j) launch();
    ROOFCAST_GPU(cudaStreamSynchronize(stream));
    if (i < options.warm_ups) continue;
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
  }
  return Summarise(std::move(times), kLaunches, 1);
}

Latency TimeCopies(const Options& options, const HostPoint& point) {
  const PinnedBuffer host(point.bytes);
  const DeviceBuffer device(point.bytes);
  const bool up = point.op == HostOp::kHostToDevice;
  return TimeOperator(options, 1, [&](cudaStream_t stream, std::int64_t) {
    ROOFCAST_GPU(cudaMemcpyAsync(up ? device.As<void>() : host.data(),
                                 up ? host.data() : device.As<void>(),
                                 static_cast<std::size_t>(point.bytes),
                                 up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost,
                                 stream));
  });
}

}  // namespace

Kernel HostKernel(const HostPoint& point) {
  const bool copies = point.op == HostOp::kHostToDevice || point.op == HostOp::kDeviceToHost;
  return {"cuda", CudaVersion(), copies ? "cudaMemcpyAsync" : "empty"};
}

Latency MeasureHost(const Options& options, const HostPoint& point) {
  const Stream stream;
  switch (point.op) {
    case HostOp::kLaunchEager:
      return TimeLaunches(options, stream, [&] { SubmitNothing(stream); });
    case HostOp::kLaunchGraph: {
      const Graph graph(stream, [&] { SubmitNothing(stream); });
      return TimeLaunches(options, stream, [&] { graph.Launch(stream); });
    }
    case HostOp::kLaunchGraphNode:
      return TimeOperator(options, 1, [](cudaStream_t into, std::int64_t) { SubmitNothing(into); });
    default:
      return TimeCopies(options, point);
  }
}

}  // namespace roofcast::bench::cuda
