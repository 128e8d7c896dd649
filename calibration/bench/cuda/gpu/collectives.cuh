// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "calibration/bench/cuda/options.h"
#include "calibration/bench/cuda/samples.h"
#include "calibration/bench/cuda/tables.h"

namespace roofcast::bench::cuda {

// Whether this program was built with NCCL.
bool HasNccl();

// Collectives among the first GPUs of this machine by NCCL, out of place, from one process.
class Nccl {
 public:
  // Room for `bytes` on each GPU, in and out.
  Nccl(int gpus, std::int64_t bytes);
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  static Kernel KernelName();
  Latency Measure(const Options& options, Collective op, std::int64_t bytes) const;
  // Runs it on small whole numbers and holds every result against what it must be: RelativeError.
  double Error(Collective op, std::int64_t bytes) const;

 private:
  struct Ranks;
  std::unique_ptr<Ranks> ranks_;
};

// "peer access" when each of the first GPUs reaches the others' memory, else "no peer access".
std::string InterconnectOf(int gpus);

}  // namespace roofcast::bench::cuda
