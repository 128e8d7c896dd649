// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/fields.h"
#include "core/quantity.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/cost.h"

namespace roofcast {

// What a pass over memory does: kernels of one kind walk through it in one way.
enum class ElementwiseKind : std::uint8_t {
  kOther,
  kAdd,              // two tensors into one
  kActivation,       // one tensor into one
  kGatedActivation,  // the gate and the value in one row, half as wide a row out
  kNorm,             // with or without adding the residual first
  kSoftmax,
  kRotary,           // rotation of queries and keys
  kKvWrite,          // keys and values into their pages
  kQuantise,         // by a scale that is known before
  kQuantiseDynamic,  // by a scale of each row or block
  kPermute,          // rows in another order, or summed up from it: tokens of experts
  kSampling,         // the largest of a row of logits, or one drawn
  kLoss,             // cross-entropy over a row of logits
  kOptimizer,        // parameters, gradients and moments
};
template <>
struct EnumNames<ElementwiseKind> {
  static constexpr std::array<std::pair<ElementwiseKind, std::string_view>, 14> kNames = {{
      {ElementwiseKind::kOther, "other"},
      {ElementwiseKind::kAdd, "add"},
      {ElementwiseKind::kActivation, "activation"},
      {ElementwiseKind::kGatedActivation, "gated activation"},
      {ElementwiseKind::kNorm, "norm"},
      {ElementwiseKind::kSoftmax, "softmax"},
      {ElementwiseKind::kRotary, "rotary"},
      {ElementwiseKind::kKvWrite, "kv write"},
      {ElementwiseKind::kQuantise, "quantise"},
      {ElementwiseKind::kQuantiseDynamic, "dynamic quantise"},
      {ElementwiseKind::kPermute, "permute"},
      {ElementwiseKind::kSampling, "sampling"},
      {ElementwiseKind::kLoss, "loss"},
      {ElementwiseKind::kOptimizer, "optimizer"},
  }};
};

// A pass over memory with little arithmetic. `traffic` is what it reads and writes, all launches
// together; rows and cols are how the kernel sees its output, one row a token.
struct Elementwise {
  Bytes traffic;
  Flops work;  // on the vector units
  ElementwiseKind kind = ElementwiseKind::kOther;
  std::int64_t rows = 1;
  std::int64_t cols = 1;
  std::int64_t launches = 1;   // one after the other, each with its share of the traffic
  DType dtype = DType::kBf16;  // of what it reads
  bool cold = false;           // none of it was just touched, so that no cache holds it

  bool operator==(const Elementwise&) const = default;
};

// t = t0 + smoothmax_p(work / (e_c V), traffic / (e_m B)), V the vector peak.
// Source: [williams2009roofline]. Range: traffic > 0.
template <class T>
Cost<T> CostOf(const Elementwise& op, const Device& device, const Coefficients<T>& coefficients);

// Kinds whose fits stand in where a device has none for this one, the best first. They walk
// through memory alike: a row to a block of threads (norm, gated activation, rotation, softmax,
// quantise), or all numbers in one line (add, activation). For KV writes, permutations, sampling,
// loss and optimizer no measurements are at hand at all; what stands in for them is an assumption.
std::vector<ElementwiseKind> StandInsFor(ElementwiseKind kind);

}  // namespace roofcast
