// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/timer.cuh"

#include <chrono>

namespace roofcast::bench::cuda {
namespace {

// One by one, in microseconds: only to choose how many go into a graph. The first round is left
// out, since it loads modules.
double Estimate(cudaStream_t stream, std::int64_t copies, const Submit& submit) {
  for (std::int64_t copy = 0; copy < copies; ++copy) submit(stream, copy);
  ROOFCAST_GPU(cudaGetLastError());
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  const Event start;
  const Event stop;
  ROOFCAST_GPU(cudaEventRecord(start, stream));
  submit(stream, 0);
  ROOFCAST_GPU(cudaEventRecord(stop, stream));
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  return MicrosecondsBetween(start, stop);
}

// Replays until so many seconds have passed, waiting often enough that the queue stays short.
void Load(const Graph& graph, cudaStream_t stream, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    for (int i = 0; i < 4; ++i) graph.Launch(stream);
    ROOFCAST_GPU(cudaStreamSynchronize(stream));
  }
}

}  // namespace

double MicrosecondsBetween(const Event& start, const Event& stop) {
  float milliseconds = 0;
  ROOFCAST_GPU(cudaEventElapsedTime(&milliseconds, start, stop));
  return 1e3 * static_cast<double>(milliseconds);
}

Graph::Graph(cudaStream_t stream, const std::function<void()>& submit_all) {
  ROOFCAST_GPU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  try {
    submit_all();
  } catch (...) {
    cudaStreamEndCapture(stream, &graph_);  // else the stream stays in capture
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
    throw;
  }
  ROOFCAST_GPU(cudaStreamEndCapture(stream, &graph_));
  const cudaError_t status = cudaGraphInstantiate(&executable_, graph_, 0);
  if (status != cudaSuccess) {
    cudaGraphDestroy(graph_);
    ROOFCAST_GPU(status);
  }
}

Graph::~Graph() {
  cudaGraphExecDestroy(executable_);
  cudaGraphDestroy(graph_);
}

void Graph::Launch(cudaStream_t stream) const {
  ROOFCAST_GPU(cudaGraphLaunch(executable_, stream));
}

Latency TimeOperator(const Options& options, std::int64_t copies, const Submit& submit) {
  const Stream stream;
  const std::int64_t operators = OperatorsPerGraph(Estimate(stream, copies, submit), copies);
  const Graph graph(stream, [&] {
    for (std::int64_t i = 0; i < operators; ++i) submit(stream, i % copies);
  });
  for (std::int64_t i = 0; i < options.warm_ups; ++i) graph.Launch(stream);
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  if (options.seconds > 0) Load(graph, stream, options.seconds);

  // All replays are queued before the first is waited for: the GPU is never idle between them.
  std::vector<Event> events(static_cast<std::size_t>(options.replays) + 1);
  ROOFCAST_GPU(cudaEventRecord(events[0], stream));
  for (std::size_t i = 1; i < events.size(); ++i) {
    graph.Launch(stream);
    ROOFCAST_GPU(cudaEventRecord(events[i], stream));
  }
  ROOFCAST_GPU(cudaStreamSynchronize(stream));
  std::vector<double> times;
  times.reserve(events.size() - 1);
  for (std::size_t i = 1; i < events.size(); ++i) {
    times.push_back(MicrosecondsBetween(events[i - 1], events[i]));
  }
  return Summarise(std::move(times), operators, copies);
}

}  // namespace roofcast::bench::cuda
