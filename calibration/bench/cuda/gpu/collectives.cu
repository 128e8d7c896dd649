// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/collectives.cuh"

#include <nccl.h>

#include <algorithm>

#include "calibration/bench/cuda/gpu/timer.cuh"
#include "calibration/bench/cuda/numbers.h"
#include "calibration/bench/cuda/reference.h"

namespace roofcast::bench::cuda {
namespace {

void Check(ncclResult_t status, const char* call, const char* file, int line) {
  if (status == ncclSuccess) return;
  const std::string why = ncclGetLastError(nullptr);
  Fail(call,
       file,
       line,
       ncclGetErrorString(status) + (why.empty() ? "" : " (" + why + ")"),
       "NCCL_DEBUG=INFO in the environment shows what it tried");
}
#define ROOFCAST_NCCL(call) Check((call), #call, __FILE__, __LINE__)

constexpr std::int64_t kElement = 2;  // bytes of bf16

// What rank `rank` sends at element i: whole numbers whose sums bf16 holds exactly.
double Sent(int rank, std::int64_t i) {
  return static_cast<double>((rank * 3 + i) % 7);
}

}  // namespace

bool HasNccl() {
  return true;
}

// One GPU each: its communicator, stream and memory.
struct Nccl::Ranks {
  std::vector<ncclComm_t> communicators;
  std::vector<std::unique_ptr<Stream>> streams;
  std::vector<DeviceBuffer> in;
  std::vector<DeviceBuffer> out;
  int home = 0;  // the device that was current before

  int count() const { return static_cast<int>(streams.size()); }
  template <class Use>
  void ForEach(const Use& use) const {
    for (std::size_t rank = 0; rank < streams.size(); ++rank) {
      ROOFCAST_GPU(cudaSetDevice(static_cast<int>(rank)));
      use(rank);
    }
    ROOFCAST_GPU(cudaSetDevice(home));
  }
  void Wait() const {
    ForEach([&](std::size_t rank) { ROOFCAST_GPU(cudaStreamSynchronize(*streams[rank])); });
  }

  // Puts one collective of `bytes` into the streams of all ranks.
  void Submit(Collective op, std::int64_t bytes) const {
    const auto total = static_cast<std::size_t>(bytes / kElement);
    const std::size_t part = total / streams.size();
    ROOFCAST_NCCL(ncclGroupStart());
    for (std::size_t rank = 0; rank < streams.size(); ++rank) {
      const void* const from = in[rank].As<void>();
      void* const to = out[rank].As<void>();
      const ncclComm_t comm = communicators[rank];
      const cudaStream_t stream = *streams[rank];
      switch (op) {
        case Collective::kAllReduce:
          ROOFCAST_NCCL(ncclAllReduce(from, to, total, ncclBfloat16, ncclSum, comm, stream));
          break;
        case Collective::kAllGather:
          ROOFCAST_NCCL(ncclAllGather(from, to, part, ncclBfloat16, comm, stream));
          break;
        case Collective::kReduceScatter:
          ROOFCAST_NCCL(ncclReduceScatter(from, to, part, ncclBfloat16, ncclSum, comm, stream));
          break;
        case Collective::kAllToAll:
          for (std::size_t peer = 0; peer < streams.size(); ++peer) {
            const auto offset = static_cast<std::int64_t>(peer * part) * kElement;
            ROOFCAST_NCCL(ncclSend(in[rank].As<void>(offset),
                                   part,
                                   ncclBfloat16,
                                   static_cast<int>(peer),
                                   comm,
                                   stream));
            ROOFCAST_NCCL(ncclRecv(out[rank].As<void>(offset),
                                   part,
                                   ncclBfloat16,
                                   static_cast<int>(peer),
                                   comm,
                                   stream));
          }
          break;
      }
    }
    ROOFCAST_NCCL(ncclGroupEnd());
  }
};

Nccl::Nccl(int gpus, std::int64_t bytes) : ranks_(std::make_unique<Ranks>()) {
  ROOFCAST_GPU(cudaGetDevice(&ranks_->home));
  for (int rank = 0; rank < gpus; ++rank) {
    ROOFCAST_GPU(cudaSetDevice(rank));
    ranks_->streams.push_back(std::make_unique<Stream>());
    ranks_->in.emplace_back(bytes);
    ranks_->out.emplace_back(bytes);
    ROOFCAST_GPU(cudaMemset(ranks_->in.back().As<void>(), 0, static_cast<std::size_t>(bytes)));
  }
  ROOFCAST_GPU(cudaSetDevice(ranks_->home));
  ranks_->communicators.resize(static_cast<std::size_t>(gpus));
  ROOFCAST_NCCL(ncclCommInitAll(ranks_->communicators.data(), gpus, nullptr));
}

Nccl::~Nccl() {
  for (const ncclComm_t communicator : ranks_->communicators) ncclCommDestroy(communicator);
}

Kernel Nccl::KernelName() {
  int version = 0;
  ROOFCAST_NCCL(ncclGetVersion(&version));
  return {"nccl",
          std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
              std::to_string(version % 100),
          "nccl_graph"};
}

// One graph a rank, all launched together. A rank's clock starts when its own graph does; the last
// to start waits for nobody, so the shortest of the ranks' times is that of the collectives alone.
Latency Nccl::Measure(const Options& options, Collective op, std::int64_t bytes) const {
  const Ranks& ranks = *ranks_;
  const auto count = static_cast<std::size_t>(ranks.count());
  std::vector<Event> starts;
  std::vector<Event> stops;
  ranks.ForEach([&](std::size_t) {
    starts.emplace_back();
    stops.emplace_back();
  });
  const auto time = [&](const std::function<void()>& submit) {
    ranks.ForEach([&](std::size_t rank) {
      ROOFCAST_GPU(cudaEventRecord(starts[rank], *ranks.streams[rank]));
    });
    submit();
    ranks.ForEach([&](std::size_t rank) {
      ROOFCAST_GPU(cudaEventRecord(stops[rank], *ranks.streams[rank]));
    });
    ranks.Wait();
    double shortest = MicrosecondsBetween(starts[0], stops[0]);
    for (std::size_t rank = 1; rank < count; ++rank) {
      shortest = std::min(shortest, MicrosecondsBetween(starts[rank], stops[rank]));
    }
    return shortest;
  };
  ranks.Submit(op, bytes);  // sets up connections
  ranks.Wait();
  const double estimate = time([&] { ranks.Submit(op, bytes); });
  const std::int64_t operators = std::min<std::int64_t>(OperatorsPerGraph(estimate, 1), 50);

  // Captures nest: every stream records while the group's calls reach all of them.
  std::vector<std::unique_ptr<Graph>> graphs(count);
  const std::function<void(std::size_t)> capture = [&](std::size_t rank) {
    if (rank == count) {
      for (std::int64_t i = 0; i < operators; ++i) ranks.Submit(op, bytes);
      return;
    }
    ROOFCAST_GPU(cudaSetDevice(static_cast<int>(rank)));
    graphs[rank] = std::make_unique<Graph>(*ranks.streams[rank], [&] { capture(rank + 1); });
  };
  capture(0);
  const auto replay = [&] {
    ranks.ForEach([&](std::size_t rank) { graphs[rank]->Launch(*ranks.streams[rank]); });
  };
  for (std::int64_t i = 0; i < options.warm_ups; ++i) time(replay);
  std::vector<double> times;
  times.reserve(static_cast<std::size_t>(options.replays));
  for (std::int64_t i = 0; i < options.replays; ++i) times.push_back(time(replay));
  return Summarise(std::move(times), operators, 1);
}

double Nccl::Error(Collective op, std::int64_t bytes) const {
  const Ranks& ranks = *ranks_;
  const int count = ranks.count();
  const std::int64_t total = bytes / kElement;
  const std::int64_t part = total / count;
  ranks.ForEach([&](std::size_t rank) {
    std::vector<std::uint16_t> sent;
    sent.reserve(static_cast<std::size_t>(total));
    for (std::int64_t i = 0; i < total; ++i) {
      sent.push_back(Bf16Of(static_cast<float>(Sent(static_cast<int>(rank), i))));
    }
    ranks_->in[rank].FromHost(sent);
    ROOFCAST_GPU(cudaMemset(ranks.out[rank].As<void>(), 0xFF, static_cast<std::size_t>(bytes)));
    ROOFCAST_GPU(cudaDeviceSynchronize());
  });
  ranks.Submit(op, bytes);
  ranks.Wait();

  const auto sum = [&](std::int64_t i) {
    double value = 0;
    for (int rank = 0; rank < count; ++rank) value += Sent(rank, i);
    return value;
  };
  std::vector<double> got;
  std::vector<double> wanted;
  ranks.ForEach([&](std::size_t rank) {
    const auto me = static_cast<int>(rank);
    const std::int64_t received = op == Collective::kReduceScatter ? part : total;
    const auto bits = ranks.out[rank].ToHost<std::uint16_t>(0, received);
    for (std::int64_t i = 0; i < received; ++i) {
      got.push_back(FloatOfBf16(bits[static_cast<std::size_t>(i)]));
      switch (op) {
        case Collective::kAllReduce:
          wanted.push_back(sum(i));
          break;
        case Collective::kReduceScatter:
          wanted.push_back(sum(me * part + i));
          break;
        case Collective::kAllGather:
          wanted.push_back(Sent(static_cast<int>(i / part), i % part));
          break;
        case Collective::kAllToAll:
          wanted.push_back(Sent(static_cast<int>(i / part), me * part + i % part));
          break;
      }
    }
  });
  return RelativeError(got, wanted);
}

std::string InterconnectOf(int gpus) {
  for (int from = 0; from < gpus; ++from) {
    for (int to = 0; to < gpus; ++to) {
      int reaches = 1;
      if (from != to) ROOFCAST_GPU(cudaDeviceCanAccessPeer(&reaches, from, to));
      if (reaches == 0) return "no peer access";
    }
  }
  return "peer access";
}

}  // namespace roofcast::bench::cuda
