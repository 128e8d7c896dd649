// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/run/bench.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "calibration/bench/device_file.h"
#include "calibration/bench/grid.h"
#include "calibration/bench/kernels/matmul.h"
#include "calibration/bench/kernels/memory.h"
#include "calibration/bench/kernels/parallel.h"
#include "calibration/bench/run/suite.h"
#include "core/error.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast::bench {
namespace {

constexpr double kOtherMemory = 512.0 * 1024 * 1024;  // inputs, outputs, kernels

int ThreadsOf(const BenchOptions& options, const Machine& machine) {
  const int cores = static_cast<int>(machine.cores.size());
  const int threads = options.threads == 0 ? (kHasThreads ? cores : 1) : options.threads;
  if (threads < 1 || threads > cores) {
    throw ArgumentError(
        "--threads: " + std::to_string(threads) + ": this process may use " +
        std::to_string(cores) +
        (cores == 1 ? " core; use 1" : " cores; use 1 to " + std::to_string(cores)));
  }
  if (threads > 1 && !kHasThreads) {
    throw ArgumentError(
        "--threads: this program was built without OpenMP; use 1, or build it with g++");
  }
  return threads;
}

std::string NameOfDevice(const BenchOptions& options, const Machine& machine, int threads) {
  if (options.name.empty()) return DeviceNameOf(machine, threads);
  const bool kebab = std::islower(static_cast<unsigned char>(options.name.front())) != 0 &&
                     std::all_of(options.name.begin(), options.name.end(), [](char letter) {
                       return letter == '-' ||
                              std::islower(static_cast<unsigned char>(letter)) != 0 ||
                              std::isdigit(static_cast<unsigned char>(letter)) != 0;
                     });
  if (!kebab) {
    throw ArgumentError("--name: " + Quoted(options.name) +
                        ": a device has small letters, digits and '-' alone; write my-cpu");
  }
  return options.name;
}

// The threads of OpenMP and of oneDNN exist once something has run on them.
void StartThreads(int threads) {
  SetThreads(threads);
  Buffer buffer(std::size_t{1} << 20U);
  ReadAll(buffer, buffer.size());
  const MatMul product(DType::kFp32, 64, 64, 64);
  product.Run(buffer.data(), buffer.data() + (1U << 16U), buffer.data() + (2U << 16U));
}

}  // namespace

void RequireMemory(const Machine& machine, double bytes) {
  if (machine.free_memory.value() >= bytes) return;
  throw ArgumentError("memory: " + FormatGib(Bytes(bytes)) + " are needed and " +
                      FormatGib(machine.free_memory) + " are free; close other programs");
}

Ready MakeMachineReady(const BenchOptions& options) {
  Ready ready;
  ready.machine = ThisMachine();
  const int threads = ThreadsOf(options, ready.machine);
  ready.setting = {
      NameOfDevice(options, ready.machine, threads), "onednn", OneDnnVersion(), threads};
  // The first cores serve interrupts as well.
  std::vector<int>& cores = ready.machine.cores;
  cores.erase(cores.begin(), cores.end() - threads);
  StartThreads(threads);
  if (!PinThreads(cores)) {
    ready.notes.emplace_back("threads can't be pinned to cores: they may wander meanwhile");
  }
  ready.formats = MultipliedFormats();
  for (const DType dtype : {DType::kBf16, DType::kInt8}) {
    if (std::find(ready.formats.begin(), ready.formats.end(), dtype) != ready.formats.end())
      continue;
    ready.notes.push_back(std::string(NameOf(dtype)) + " is left out: oneDNN " +
                          ready.setting.version + " does not multiply it on this processor");
  }
  return ready;
}

BenchResult RunBench(const BenchOptions& options,
                     const std::string& date,
                     const Progress& progress) {
  Ready ready = MakeMachineReady(options);
  const std::size_t cold = ColdBytes(ready.machine.last_level_cache);
  // The pool, and the largest footprint of the memory tests.
  RequireMemory(ready.machine, 2 * static_cast<double>(cold) + kOtherMemory);
  Workspace workspace(cold);
  const std::vector<Case> cases =
      MakeGrid({options.quick, options.parts, ready.formats, ready.machine.last_level_cache});
  std::vector<ReadyCase> all = MakeReady(cases, workspace);
  std::vector<std::function<void()>> runs;
  runs.reserve(all.size());
  for (const ReadyCase& one : all) runs.push_back(one.run);
  const std::vector<Repeats> repeats =
      MeasureInRounds(runs, options.repeats, LeastTime(options.quick), progress);

  BenchResult result;
  result.measured.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].measured.repeats = repeats[i];
    result.measured.push_back(std::move(all[i].measured));
  }
  result.noise = NoiseOf(repeats, ready.setting.threads);
  result.device = DeviceFrom(ready.machine, result.measured, ready.setting, date);
  result.machine = std::move(ready.machine);
  result.setting = std::move(ready.setting);
  result.notes = std::move(ready.notes);
  return result;
}

}  // namespace roofcast::bench
