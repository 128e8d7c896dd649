// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/gpu/verify.cuh"

#include <cstdio>
#include <string>

#include "calibration/bench/cuda/gpu/attention.cuh"
#include "calibration/bench/cuda/gpu/collectives.cuh"
#include "calibration/bench/cuda/gpu/elementwise.cuh"
#include "calibration/bench/cuda/gpu/gemm.cuh"
#include "calibration/bench/cuda/reference.h"

namespace roofcast::bench::cuda {
namespace {

class Verdicts {
 public:
  // `measure` gives a RelativeError.
  template <class Measure>
  void Hold(const std::string& what, double tolerance, const Measure& measure) {
    try {
      const double error = measure();
      const bool right = error <= tolerance;
      right_ = right_ && right;
      std::fprintf(stderr,
                   "verify: %s: off by %.2g, allowed %.2g%s\n",
                   what.c_str(),
                   error,
                   tolerance,
                   right ? "" : ": WRONG");
    } catch (const Unsupported& reason) {
      std::fprintf(stderr, "verify: %s: skipped: %s\n", what.c_str(), reason.what());
    }
  }
  bool right() const { return right_; }

 private:
  bool right_ = true;
};

std::string Text(const GemmPoint& p) {
  return "m " + std::to_string(p.m) + ", n " + std::to_string(p.n) + ", k " + std::to_string(p.k);
}
std::string Text(const AttentionPoint& p) {
  return "batch " + std::to_string(p.batch) + ", q " + std::to_string(p.q_len) + ", kv " +
         std::to_string(p.kv_len) + ", heads " + std::to_string(p.heads) + "/" +
         std::to_string(p.kv_heads) + " of " + std::to_string(p.head_dim) + ", window " +
         std::to_string(p.window);
}

void VerifyGemms(const Options& options, const Gpu& gpu, Verdicts& verdicts) {
  const Blas blas;
  for (const auto& [format, name] : EnumNames<GemmFormat>::kNames) {
    if (!options.Wants(format) || !HasFormat(gpu, format)) continue;
    for (const GemmPoint& point :
         {GemmPoint{1, 1024, 4096}, GemmPoint{100, 768, 512}, GemmPoint{4096, 1024, 1024}}) {
      verdicts.Hold(std::string(name) + " gemm, " + Text(point), ToleranceOf(format), [&] {
        return Gemm(blas, format, point, options.copies).Error();
      });
    }
  }
}

void VerifyAttention(const Options& options, const Gpu& gpu, Verdicts& verdicts) {
  for (const AttentionPoint& point : VerifyAttentionGrid()) {
    if (!options.Wants(point.q_len == 1 ? Family::kDecode : Family::kPrefill)) continue;
    verdicts.Hold("attention, " + Text(point), kBf16Tolerance, [&] {
      return AttentionRun(gpu, point, options.copies).Error();
    });
  }
}

void VerifyRows(const Options& options, Verdicts& verdicts) {
  for (const auto& [op, name] : EnumNames<RowOp>::kNames) {
    for (const RowPoint& point : {RowPoint{op, 1, 128}, RowPoint{op, 37, 5120}}) {
      verdicts.Hold(std::string(name) + ", " + std::to_string(point.rows) + " rows of " +
                        std::to_string(point.cols),
                    ToleranceOf(op),
                    [&] { return RowRun(point, options.copies).Error(); });
    }
  }
}

void VerifyCollectives(const std::vector<int>& counts, Verdicts& verdicts) {
  constexpr std::int64_t kBytes = 16 * 840 * 100;
  for (const int gpus : counts) {
    const Nccl nccl(gpus, kBytes);
    for (const auto& [op, name] : EnumNames<Collective>::kNames) {
      verdicts.Hold(std::string(name) + " on " + std::to_string(gpus) + " GPUs", 0, [&] {
        return nccl.Error(op, kBytes);
      });
    }
  }
}

}  // namespace

bool Verify(const Options& options, const Gpu& gpu) {
  Verdicts verdicts;
  if (options.Wants(Family::kGemm)) VerifyGemms(options, gpu, verdicts);
  if (options.Wants(Family::kPrefill) || options.Wants(Family::kDecode)) {
    VerifyAttention(options, gpu, verdicts);
  }
  if (options.Wants(Family::kElementwise)) VerifyRows(options, verdicts);
  if (options.Wants(Family::kCollectives) && HasNccl()) {
    int count = 0;
    ROOFCAST_GPU(cudaGetDeviceCount(&count));
    VerifyCollectives(GpuCounts(options, count), verdicts);
  }
  return verdicts.right();
}

}  // namespace roofcast::bench::cuda
