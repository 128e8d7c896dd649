// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm.h"

#include <ceres/jet.h>

#include <cmath>

#include "models/kernels/roofline.h"

namespace roofcast {
namespace {

constexpr std::int64_t kNvfp4Block = 16;  // numbers that share a scale; mxfp4 has 32

}  // namespace

GemmTraffic TrafficOf(const Gemm& op) {
  const double m = Number(op.m) * Number(op.batch);
  const double n = Number(op.n);
  const double k = Number(op.k);
  GemmTraffic traffic;
  traffic.input = m * k * BytesOf(op.input);
  traffic.weights = Number(op.batch) * n * k * BytesOf(op.weights) * op.weight_overhead;
  traffic.output = m * n * BytesOf(op.output);
  if (op.quantises_input) traffic.quantising = m * k * (BytesOf(op.output) + BytesOf(op.input));
  return traffic;
}

Flops WorkOf(const Gemm& op) {
  return Flops(2 * Number(op.batch) * Number(op.m) * Number(op.n) * Number(op.k));
}

std::string FormatOf(const Gemm& op) {
  const std::string weights(NameOf(op.weights));
  if (BytesOf(op.weights) < BytesOf(op.math)) return weights + "_wo";
  if (op.math == DType::kFp4) return op.scale_columns == kNvfp4Block ? "nvfp4" : "mxfp4";
  if (op.math == DType::kFp8 && op.scale_columns > 0) return "fp8_block";
  if (op.math == DType::kInt8) return "int8_sq";
  return std::string(NameOf(op.math));
}

template <class T>
Cost<T> CostOf(const Gemm& op, const Device& device, const Coefficients<T>& coefficients) {
  return Roofline<T>(WorkOf(op),
                     device.PeakOf(op.math),
                     TrafficOf(op).Total(),
                     device.memory.bandwidth,
                     coefficients.gemm);
}

template <class T>
Cost<T> CostOf(const GroupedGemm& op, const Device& device, const Coefficients<T>& coefficients) {
  const double rows = Number(op.rows);
  const double n = Number(op.n);
  const double k = Number(op.k);
  const Bytes traffic = rows * k * BytesOf(op.input) +
                        op.active * n * k * BytesOf(op.weights) * op.weight_overhead +
                        rows * n * BytesOf(op.output);
  return Roofline<T>(Flops(2 * rows * n * k),
                     device.PeakOf(op.math),
                     traffic,
                     device.memory.bandwidth,
                     coefficients.grouped_gemm);
}

double ExpectedActiveExperts(std::int64_t experts, std::int64_t per_token, std::int64_t tokens) {
  const double missed = 1 - Number(per_token) / Number(experts);
  return Number(experts) * (1 - std::pow(missed, Number(tokens)));
}

ROOFCAST_INSTANTIATE_COST(Gemm);
ROOFCAST_INSTANTIATE_COST(GroupedGemm);

}  // namespace roofcast
