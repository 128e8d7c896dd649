// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "calibration/bench/kernels/memory.h"
#include "calibration/bench/measured.h"

namespace roofcast::bench {

// The memory that cases share: a pool that weights and KV cache are read from cold, and inputs and
// outputs, which stay in the caches as those of a model do.
class Workspace {
 public:
  // `cold`: bytes of the pool.
  explicit Workspace(std::size_t cold) : pool_(cold) {}
  ColdPool& pool() { return pool_; }
  std::size_t size() const { return pool_.size(); }
  // Buffers of at least that size, the same for all cases of a format, in whose numbers they are: 0
  // is read, 1 is written, 2 both, 3 the tests' of memory alone. Ask for all sizes before the first
  // is used, since growing one moves it.
  Buffer& Shared(std::size_t which, DType dtype, std::size_t bytes);

 private:
  ColdPool pool_;
  std::map<std::pair<std::size_t, DType>, Buffer> shared_;
};

// The pool that is needed: 256 MiB, or four times the last level of cache where that is more.
std::size_t ColdBytes(std::optional<Bytes> last_level_cache);

// How long one timing lasts at least: long against the clock's own cost, short against a time slice
// of the system.
inline Seconds LeastTime(bool quick) {
  return Seconds(quick ? 2e-3 : 4e-3);
}

// One case, ready to run.
struct ReadyCase {
  Measured measured;  // without its repeats
  std::function<void()> run;
};

// Makes the kernels of all cases. The workspace must outlive them. Throws ArgumentError when the
// processor can't multiply a format.
std::vector<ReadyCase> MakeReady(const std::vector<Case>& cases, Workspace& workspace);

}  // namespace roofcast::bench
