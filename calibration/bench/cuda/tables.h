// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "calibration/bench/cuda/grid.h"
#include "calibration/bench/cuda/options.h"
#include "calibration/bench/cuda/samples.h"
#include "core/csv.h"

namespace roofcast::bench::cuda {

// What ran: the library with its version, and its kernel's name.
struct Kernel {
  std::string framework;
  std::string version;
  std::string name;
};

// Where a collective ran.
struct Ring {
  int gpus = 2;
  std::string interconnect;
};

// One table in the common form of measured operators: the columns that `roofcast calibrate` reads,
// then spread, repeats and copies.
class Table {
 public:
  Table(Family family, std::string gpu);

  void Add(const Kernel& kernel, GemmFormat format, const GemmPoint& point, const Latency& latency);
  void Add(const Kernel& kernel, const AttentionPoint& point, const Latency& latency);
  void Add(const Kernel& kernel, const RowPoint& point, const Latency& latency);
  void Add(const Kernel& kernel, const HostPoint& point, const Latency& latency);
  // `bytes` as nccl-tests count: the buffer of all_reduce, the total of the others.
  void Add(const Kernel& kernel,
           Collective op,
           std::int64_t bytes,
           const Ring& ring,
           const Latency& latency);

  // "h100-sxm__gemm.csv".
  std::string FileName() const;
  const std::string& text() const { return csv_.text(); }
  std::int64_t rows() const { return rows_; }

 private:
  CsvWriter& Begin(const Kernel& kernel);
  void End(const Latency& latency);

  Family family_;
  std::string gpu_;
  CsvWriter csv_;
  std::int64_t rows_ = 0;
};

}  // namespace roofcast::bench::cuda
