// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/quantity.h"

namespace roofcast::bench {

// What the system says of the processor that this program runs on.
struct Machine {
  std::string model;   // "AMD EPYC 9654 96-Core Processor"
  std::string vendor;  // "AMD"; "unknown" where the system doesn't say
  std::string architecture;
  // One logical processor of each core that this program may run on, in order.
  std::vector<int> cores;
  std::optional<Bytes> last_level_cache;  // all slices that those cores reach
  Bytes memory;
  Bytes free_memory;  // that can be had without swapping
};

// Reads /proc and /sys below `root`; `allowed` are the logical processors that may be used.
Machine ReadMachine(const std::string& root, const std::vector<int>& allowed);
// This one, with the processors that the calling process is allowed.
Machine ThisMachine();

// A name for a device of so many cores of it, in kebab-case: "amd-epyc-9654-2-cores".
std::string DeviceNameOf(const Machine& machine, int threads);

// Puts the calling thread and every other thread of this process on a core of its own, in turn.
// False when the system refuses.
bool PinThreads(const std::vector<int>& cores);

}  // namespace roofcast::bench
