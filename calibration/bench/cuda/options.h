// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calibration/bench/cuda/grid.h"
#include "core/fields.h"

namespace roofcast::bench::cuda {

// What can be asked for by itself; each becomes a table of its name.
enum class Family : std::uint8_t {
  kGemm,
  kPrefill,
  kDecode,
  kElementwise,
  kHost,
  kCollectives,
};

struct Options {
  std::string output = ".";      // folder of the tables
  std::set<Family> families;     // none: all
  std::set<GemmFormat> formats;  // of the GEMMs; none: all that the GPU has
  GridSize grid = GridSize::kQuick;
  std::int64_t copies = 5;
  std::int64_t warm_ups = 3;
  std::int64_t replays = 6;
  double seconds = 0;  // of load before each operator is timed, for sustained clocks
  int device = 0;
  std::vector<int> gpus;  // numbers of GPUs for collectives; none: 2, 4, 8 of those that are there
  std::string gpu;        // what the column `gpu` says; "": the catalog's name
  std::string interconnect;
  bool verify = false;
  bool list = false;
  bool help = false;

  bool Wants(Family family) const { return families.empty() || families.contains(family); }
  bool Wants(GemmFormat format) const { return formats.empty() || formats.contains(format); }
};

// Reads the words after the program's name. Throws ArgumentError that says what is wrong.
Options ParseOptions(const std::vector<std::string>& words);

// The numbers of GPUs that collectives run on, of `available`. Throws ArgumentError when --gpus
// asks for more.
std::vector<int> GpuCounts(const Options& options, int available);

// The text of --help.
std::string Help();

// The text of --list: how many operators each family measures.
std::string ListGrid(const Options& options);

}  // namespace roofcast::bench::cuda

namespace roofcast {
template <>
struct EnumNames<bench::cuda::Family> {
  using Family = bench::cuda::Family;
  static constexpr std::array<std::pair<Family, std::string_view>, 6> kNames = {{
      {Family::kGemm, "gemm"},
      {Family::kPrefill, "attention_prefill"},
      {Family::kDecode, "attention_decode"},
      {Family::kElementwise, "elementwise"},
      {Family::kHost, "host"},
      {Family::kCollectives, "collectives"},
  }};
};
}  // namespace roofcast
