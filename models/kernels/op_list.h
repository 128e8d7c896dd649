// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <variant>

#include "models/kernels/attention.h"
#include "models/kernels/elementwise.h"
#include "models/kernels/embedding.h"
#include "models/kernels/gemm.h"
#include "models/kernels/state_scan.h"

// The only list of operators. A type that is added here gets CostOf by visit, and every identity
// of tests/models/kernels/identities_test.cpp runs over it; a missing CostOf doesn't compile.
namespace roofcast {

template <class... Ts>
struct TypeList {};

using Ops = TypeList<Gemm, GroupedGemm, Attention, Elementwise, Embedding, StateScan>;

namespace internal {
template <class List>
struct ToVariantImpl;
template <class... Ts>
struct ToVariantImpl<TypeList<Ts...>> {
  using Type = std::variant<Ts...>;
};
}  // namespace internal

using Op = internal::ToVariantImpl<Ops>::Type;

// Takes an Op and nothing that converts to one, or a type without CostOf would come back here.
template <class T, std::same_as<Op> V>
Cost<T> CostOf(const V& op, const Device& device, const Coefficients<T>& coefficients) {
  return std::visit([&](const auto& one) { return CostOf<T>(one, device, coefficients); }, op);
}

}  // namespace roofcast
