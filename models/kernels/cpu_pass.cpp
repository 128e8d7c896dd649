// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/cpu_pass.h"

#include <ceres/jet.h>

#include <algorithm>

#include "models/kernels/streaming.h"

namespace roofcast {
namespace {
constexpr double kSharpness = 4;  // of the smooth maximum
}  // namespace

CpuPass::Features CpuPass::Prepare(const Elementwise& op,
                                   const Device& device,
                                   const Kernel& /*kernel*/) {
  const DeviceRates rates = DeviceRates::Of(device);
  const double traffic = op.traffic.value();
  return {traffic / rates.bandwidth, std::max(0.0, traffic - rates.cache) / rates.bandwidth};
}

template <class T>
FormCost<T> CpuPass::TimeOf(const Features& f, const Coefficients<T>& c) {
  FormCost<T> cost;
  cost.intercept = c.intercept;
  cost.compute = f.traffic / c.cache_factor;
  cost.memory = f.beyond / c.memory_factor;
  cost.time = c.intercept + SmoothMax(cost.compute, cost.memory, T(kSharpness));
  return cost;
}

SizeList CpuPass::SizesOf(const Elementwise& op) {
  return {{{{"bytes", op.traffic.value()}}}, 1};
}

std::string_view CpuPass::RegimeOf(const Elementwise& op) {
  if (op.traffic < Bytes(1e5)) return "below 100 kB";
  return op.traffic < Bytes(1e7) ? "100 kB to 10 MB" : "above 10 MB";
}

std::string_view CpuPass::FamilyOf(const Elementwise& op) {
  return Streaming::FamilyOf(op);
}

std::string CpuPass::FormatOf(const Elementwise& op) {
  return Streaming::FormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(CpuPass);

}  // namespace roofcast
