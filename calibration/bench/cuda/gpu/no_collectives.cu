// SPDX-License-Identifier: Apache-2.0
// In place of collectives.cu where NCCL isn't installed.
#include "calibration/bench/cuda/gpu/check.cuh"
#include "calibration/bench/cuda/gpu/collectives.cuh"

namespace roofcast::bench::cuda {
namespace {

[[noreturn]] void Refuse() {
  throw GpuError(
      "collectives: this program was built without NCCL; install its headers and library, then "
      "build it again");
}

}  // namespace

struct Nccl::Ranks {};

bool HasNccl() {
  return false;
}
Nccl::Nccl(int, std::int64_t) {
  Refuse();
}
Nccl::~Nccl() = default;
Kernel Nccl::KernelName() {
  Refuse();
}
Latency Nccl::Measure(const Options&, Collective, std::int64_t) const {
  Refuse();
}
double Nccl::Error(Collective, std::int64_t) const {
  Refuse();
}
std::string InterconnectOf(int) {
  Refuse();
}

}  // namespace roofcast::bench::cuda
