// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gather.h"

#include <ceres/jet.h>

namespace roofcast {
namespace {

constexpr std::int64_t kFew = 16;

}  // namespace

Gather::Features Gather::Prepare(const Embedding& op,
                                 const Device& device,
                                 const Kernel& /*kernel*/) {
  const DeviceRates rates = DeviceRates::Of(device);
  const double traffic = 2 * Number(op.tokens) * Number(op.width) * BytesOf(op.dtype).value();
  Features f;
  f.serial = op.tokens <= kFew ? Number(op.tokens) : 0;
  f.traffic = CachedTraffic::Of(traffic, rates, /*cold=*/false);
  return f;
}

template <class T>
FormCost<T> Gather::TimeOf(const Features& f, const Coefficients<T>& c) {
  FormCost<T> cost;
  cost.intercept = c.intercept;
  cost.compute = c.token_cost * f.serial;
  cost.memory = c.passes * TimeOfTraffic(f.traffic, c.cache_cost, c.cache_reach, c.cache_edge);
  cost.time = cost.intercept + cost.compute + cost.memory;
  return cost;
}

SizeList Gather::SizesOf(const Embedding& op) {
  return {{{{"tokens", Number(op.tokens)}, {"width", Number(op.width)}}}, 2};
}

std::string_view Gather::RegimeOf(const Embedding& op) {
  return op.tokens <= kFew ? "tokens <= 16" : "tokens > 16";
}

std::string_view Gather::FamilyOf(const Embedding& /*op*/) {
  return "embedding";
}

std::string Gather::FormatOf(const Embedding& op) {
  return std::to_string(static_cast<std::int64_t>(BytesOf(op.dtype).value() * 8)) + " bit";
}

ROOFCAST_INSTANTIATE_FORM(Gather);

}  // namespace roofcast
