// SPDX-License-Identifier: Apache-2.0
// roofcast-bench-cuda: measures an NVIDIA GPU and writes tables for `roofcast calibrate`.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "calibration/bench/cuda/device_name.h"
#include "calibration/bench/cuda/gpu/attention.cuh"
#include "calibration/bench/cuda/gpu/collectives.cuh"
#include "calibration/bench/cuda/gpu/elementwise.cuh"
#include "calibration/bench/cuda/gpu/gemm.cuh"
#include "calibration/bench/cuda/gpu/host.cuh"
#include "calibration/bench/cuda/gpu/timer.cuh"
#include "calibration/bench/cuda/gpu/verify.cuh"
#include "core/error.h"
#include "core/output.h"

namespace roofcast::bench::cuda {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// What a family leaves: its table, written even when a later operator fails or is interrupted.
class Suite {
 public:
  Suite(const Options& options, std::string gpu_name)
      : options_(options), gpu_name_(std::move(gpu_name)) {}

  // `measure(point, table)` adds one row.
  template <class Point, class Measure>
  void Run(Table& table, const std::vector<Point>& points, const Measure& measure) {
    std::size_t done = 0;
    for (const Point& point : points) {
      if (interrupted != 0) return;
      try {
        measure(point, table);
      } catch (const Unsupported& reason) {
        ++skipped_[reason.what()];
      }
      ++done;
      if (done % std::max<std::size_t>(points.size() / 10, 1) == 0) {
        std::fprintf(stderr, "%s: %zu of %zu\n", table.FileName().c_str(), done, points.size());
      }
    }
  }

  // `fill(table)` measures a family.
  template <class Fill>
  void Family(cuda::Family family, const Fill& fill) {
    if (!options_.Wants(family) || interrupted != 0) return;
    Table table(family, gpu_name_);
    skipped_.clear();
    try {
      fill(table);
    } catch (const GpuError&) {
      Write(table);
      throw;
    }
    Write(table);
  }

 private:
  void Write(const Table& table) const {
    for (const auto& [reason, count] : skipped_) {
      std::fprintf(
          stderr, "%s: skipped %ld: %s\n", table.FileName().c_str(), count, reason.c_str());
    }
    if (table.rows() == 0) return;
    const std::string path = (std::filesystem::path(options_.output) / table.FileName()).string();
    WriteOutput(path, table.text());
    std::printf("%s: %ld rows\n", path.c_str(), static_cast<long>(table.rows()));
  }

  const Options& options_;
  std::string gpu_name_;
  std::map<std::string, long> skipped_;
};

void MeasureCollectives(const Options& options, Suite& suite, Table& table) {
  int available = 0;
  ROOFCAST_GPU(cudaGetDeviceCount(&available));
  const std::vector<std::int64_t> sizes = CollectiveGrid(options.grid);
  for (const int gpus : GpuCounts(options, available)) {
    const Ring ring{gpus,
                    options.interconnect.empty() ? InterconnectOf(gpus) : options.interconnect};
    const Nccl nccl(gpus, sizes.back());
    for (const auto& [op, name] : EnumNames<Collective>::kNames) {
      suite.Run(table, sizes, [&, op = op](std::int64_t bytes, Table& into) {
        into.Add(Nccl::KernelName(), op, bytes, ring, nccl.Measure(options, op, bytes));
      });
    }
  }
}

void MeasureAll(const Options& options, const Gpu& gpu, Suite& suite) {
  // Times an operator that knows how to put itself into a stream.
  const auto time = [&](const auto& run) {
    return TimeOperator(options, run.copies(), [&](cudaStream_t stream, std::int64_t copy) {
      run.Submit(stream, copy);
    });
  };
  suite.Family(Family::kGemm, [&](Table& table) {
    const Blas blas;
    for (const auto& [format, name] : EnumNames<GemmFormat>::kNames) {
      if (!options.Wants(format)) continue;
      if (!HasFormat(gpu, format)) {
        std::fprintf(stderr,
                     "gemm: %s skipped: this GPU has no instructions for it\n",
                     std::string(name).c_str());
        continue;
      }
      suite.Run(table, GemmGrid(options.grid), [&, format = format](const GemmPoint& p, Table& to) {
        to.Add(Gemm::KernelOf(format), format, p, time(Gemm(blas, format, p, options.copies)));
      });
    }
  });
  const auto attend = [&](const AttentionPoint& point, Table& table) {
    const AttentionRun run(gpu, point, options.copies);
    table.Add(run.KernelName(), point, time(run));
  };
  suite.Family(Family::kPrefill,
               [&](Table& table) { suite.Run(table, PrefillGrid(options.grid), attend); });
  suite.Family(Family::kDecode,
               [&](Table& table) { suite.Run(table, DecodeGrid(options.grid), attend); });
  suite.Family(Family::kElementwise, [&](Table& table) {
    suite.Run(table, RowGrid(options.grid), [&](const RowPoint& point, Table& into) {
      const RowRun run(point, options.copies);
      into.Add(run.KernelName(), point, time(run));
    });
  });
  suite.Family(Family::kHost, [&](Table& table) {
    suite.Run(table, HostGrid(options.grid), [&](const HostPoint& point, Table& into) {
      into.Add(HostKernel(point), point, MeasureHost(options, point));
    });
  });
  suite.Family(Family::kCollectives, [&](Table& table) {
    if (HasNccl()) {
      MeasureCollectives(options, suite, table);
    } else {
      std::fprintf(stderr, "collectives: skipped: built without NCCL\n");
    }
  });
}

int Main(const std::vector<std::string>& words) {
  const Options options = ParseOptions(words);
  if (options.help || options.list) {
    std::fputs((options.help ? Help() : ListGrid(options)).c_str(), stdout);
    return 0;
  }
  const Gpu gpu = OpenGpu(options.device);
  const std::string name = options.gpu.empty() ? DeviceNameOf(gpu.properties.name) : options.gpu;
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  if (error) {
    throw ArgumentError("--output: " + options.output + ": " + error.message() +
                        "; name a folder that may be written to");
  }
  std::fprintf(stderr,
               "%s (%s), compute capability %d.%d, CUDA %s\n",
               gpu.properties.name,
               name.c_str(),
               gpu.properties.major,
               gpu.properties.minor,
               CudaVersion().c_str());
  if (options.verify && !Verify(options, gpu)) {
    std::fputs("roofcast-bench-cuda: verify: results are wrong; nothing was timed\n", stderr);
    return 1;
  }
  Suite suite(options, name);
  MeasureAll(options, gpu, suite);
  if (interrupted != 0) std::fputs("interrupted: the tables hold what was measured\n", stderr);
  return interrupted != 0 ? 1 : 0;
}

}  // namespace
}  // namespace roofcast::bench::cuda

int main(int argc, char** argv) {
  std::signal(SIGINT, [](int) { roofcast::bench::cuda::interrupted = 1; });
  try {
    return roofcast::bench::cuda::Main({argv + 1, argv + argc});
  } catch (const roofcast::ArgumentError& error) {
    std::fprintf(stderr, "roofcast-bench-cuda: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "roofcast-bench-cuda: %s\n", error.what());
    return 1;
  }
}
