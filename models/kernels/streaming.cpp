// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/streaming.h"

#include <ceres/jet.h>

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

constexpr double kFirstMisses = 110e3;  // bytes
constexpr double kThreadsOfUnit = 2048;
constexpr std::int64_t kWarp = 32;
constexpr double kMostBlocks = 16;  // resident on one SM

// Blocks that one SM holds at a time: short rows have small blocks.
double Resident(std::int64_t cols, std::int64_t block) {
  const std::int64_t threads = std::min((cols + kWarp - 1) / kWarp * kWarp, block);
  return std::clamp(std::floor(kThreadsOfUnit / Number(threads)), 1.0, kMostBlocks);
}

template <class T>
T Cube(const T& x) {
  return x * x * x;
}

}  // namespace

Streaming::Features Streaming::Prepare(const Elementwise& op,
                                       const Device& device,
                                       const Kernel& kernel) {
  const DeviceRates rates = DeviceRates::Of(device);
  Features f;
  f.launches = Number(op.launches);
  const double traffic = op.traffic.value() / f.launches;
  f.misses = -std::expm1(-traffic / kFirstMisses);
  f.traffic = CachedTraffic::Of(traffic, rates, op.cold);
  f.reread = kernel.held > 0 && op.cols > kernel.held;
  if (kernel.block == 0) return f;
  const double slots = rates.units * Resident(op.cols, kernel.block);
  const double waves = Number(op.rows) / slots;
  f.waves = kernel.whole_waves ? std::ceil(waves) : std::max(1.0, waves);
  f.columns = std::max(0.0, Number(op.cols - kernel.at_once));
  f.rows = Number(op.rows) / rates.units;
  return f;
}

template <class T>
FormCost<T> Streaming::TimeOf(const Features& f, const Coefficients<T>& c) {
  using std::cbrt;
  FormCost<T> cost;
  cost.intercept = f.launches * c.intercept * (1.0 + c.first_misses * f.misses);
  const T once = TimeOfTraffic(f.traffic, c.cache_cost, c.cache_reach, c.cache_edge);
  const T memory = (f.reread ? c.passes * c.reread : c.passes) * once;
  const T fill = f.waves * (c.latency + c.column_cost * f.columns);
  const T issue = c.row_cost * f.rows;
  cost.memory = f.launches * memory;
  cost.compute = f.launches * cbrt(Cube(fill) + Cube(issue));
  cost.time = cost.intercept + f.launches * cbrt(Cube(memory) + Cube(fill) + Cube(issue));
  return cost;
}

SizeList Streaming::SizesOf(const Elementwise& op) {
  return {{{{"rows", Number(op.rows)}, {"cols", Number(op.cols)}, {"bytes", op.traffic.value()}}},
          3};
}

std::string_view Streaming::RegimeOf(const Elementwise& op) {
  if (op.traffic < Bytes(1e6)) return "below 1 MB";
  return op.traffic < Bytes(100e6) ? "1..100 MB" : "above 100 MB";
}

std::string_view Streaming::FamilyOf(const Elementwise& /*op*/) {
  return "elementwise";
}

std::string Streaming::FormatOf(const Elementwise& op) {
  const auto bits = static_cast<std::int64_t>(BytesOf(op.dtype).value() * 8);
  return std::string(NameOf(op.kind)) + " " + std::to_string(bits) + " bit";
}

std::vector<std::string> Streaming::FormatsFor(const Elementwise& op) {
  std::vector<ElementwiseKind> kinds = StandInsFor(op.kind);
  kinds.insert(kinds.begin(), op.kind);
  std::vector<std::string> formats;
  formats.reserve(3 * kinds.size());
  for (const ElementwiseKind kind : kinds) {
    Elementwise other = op;
    other.kind = kind;
    const std::string own = FormatOf(other);
    formats.push_back(own);
    for (const DType dtype : {DType::kBf16, DType::kFp32}) {
      other.dtype = dtype;
      if (FormatOf(other) != own) formats.push_back(FormatOf(other));
    }
  }
  return formats;
}

ROOFCAST_INSTANTIATE_FORM(Streaming);

}  // namespace roofcast
