// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/roofline_gemm.h"

#include <ceres/jet.h>

namespace roofcast {

RooflineGemm::Features RooflineGemm::Prepare(const Gemm& op,
                                             const Device& device,
                                             const Kernel& /*kernel*/) {
  return {WorkOf(op).value() / RateOf(device, op.math),
          TrafficOf(op).Total().value() / DeviceRates::Of(device).bandwidth};
}

template <class T>
FormCost<T> RooflineGemm::TimeOf(const Features& f, const Coefficients<T>& c) {
  FormCost<T> cost;
  cost.intercept = c.intercept;
  cost.compute = f.compute / c.compute_efficiency;
  cost.memory = f.memory / c.memory_efficiency;
  cost.time = c.intercept + SmoothMax(cost.compute, cost.memory, c.overlap);
  return cost;
}

SizeList RooflineGemm::SizesOf(const Gemm& op) {
  return {{{{"m", Number(op.m)}, {"n", Number(op.n)}, {"k", Number(op.k)}}}, 3};
}

std::string_view RooflineGemm::RegimeOf(const Gemm& op) {
  if (op.m <= 16) return "m <= 16";
  if (op.m <= 256) return "m 17..256";
  return op.m <= 1024 ? "m 257..1024" : "m > 1024";
}

std::string_view RooflineGemm::FamilyOf(const Gemm& /*op*/) {
  return "gemm";
}

std::string RooflineGemm::FormatOf(const Gemm& op) {
  return roofcast::FormatOf(op);
}

ROOFCAST_INSTANTIATE_FORM(RooflineGemm);

}  // namespace roofcast
