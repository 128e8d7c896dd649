// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string_view>
#include <variant>

#include "models/kernels/attention.h"
#include "models/kernels/elementwise.h"
#include "models/kernels/embedding.h"
#include "models/kernels/gemm.h"
#include "models/kernels/moe.h"
#include "models/kernels/state_scan.h"

// The only list of operators. A type that is added here gets CostOf by visit, and every identity
// of tests/models/kernels/identities_test.cpp runs over it; a missing CostOf doesn't compile.
namespace roofcast {

template <class... Ts>
struct TypeList {};

using Ops = TypeList<Gemm, GroupedGemm, FusedMoe, Attention, Elementwise, Embedding, StateScan>;

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

// The family of Coefficients that an operator's plain roofline takes.
inline std::string_view PlainFamilyOf(const Op& op) {
  struct {
    std::string_view operator()(const Gemm&) const { return "gemm"; }
    std::string_view operator()(const GroupedGemm&) const { return "grouped_gemm"; }
    std::string_view operator()(const FusedMoe&) const { return "grouped_gemm"; }
    std::string_view operator()(const Attention& one) const {
      return one.queries == 1 ? "decode_attention" : "prefill_attention";
    }
    std::string_view operator()(const Elementwise&) const { return "elementwise"; }
    std::string_view operator()(const Embedding&) const { return "embedding"; }
    std::string_view operator()(const StateScan& one) const {
      return one.tokens == 1 || one.rule == ScanRule::kChannels ? "elementwise"
                                                                : "prefill_attention";
    }
  } family;
  return std::visit(family, op);
}

}  // namespace roofcast
