// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.h"
#include "core/quantity.h"
#include "core/scalar.h"
#include "core/source.h"
#include "models/fitted_series.h"

namespace roofcast {

class SpecReader;

// t = intercept + smoothmax_p(work / (compute_efficiency * peak),
//                             traffic / (memory_efficiency * bandwidth)).
// The intercept is mandatory: without it the efficiencies of a fit collapse, because small
// launches take microseconds whatever their size.
template <class T>
struct KernelCoefficients {
  SecondsT<T> intercept;
  T compute_efficiency{};
  T memory_efficiency{};
  T overlap_exponent{};  // p: 1 adds the terms, large takes the slower one

  template <class V>
  static void Fields(V& v) {
    v("intercept", &KernelCoefficients::intercept, "time of a launch of any size");
    v("compute_efficiency",
      &KernelCoefficients::compute_efficiency,
      "reachable share of the dense peak");
    v("memory_efficiency",
      &KernelCoefficients::memory_efficiency,
      "reachable share of the memory bandwidth");
    v("overlap_exponent",
      &KernelCoefficients::overlap_exponent,
      "how well computing and memory traffic overlap: 1 not at all, large fully");
  }
};

// t = intercept + hops + bytes on the wire / (bandwidth_efficiency * bandwidth).
template <class T>
struct CollectiveCoefficients {
  SecondsT<T> intercept;
  SecondsT<T> inner_hop;  // one ring step on the innermost tier
  SecondsT<T> outer_hop;  // one ring step on any other tier
  T bandwidth_efficiency{};

  template <class V>
  static void Fields(V& v) {
    v("intercept", &CollectiveCoefficients::intercept, "time of a collective of any size");
    v("inner_hop", &CollectiveCoefficients::inner_hop, "one step of a ring inside a node");
    v("outer_hop", &CollectiveCoefficients::outer_hop, "one step of a ring between nodes");
    v("bandwidth_efficiency",
      &CollectiveCoefficients::bandwidth_efficiency,
      "reachable share of a link's bandwidth");
  }
};

// Memory that no tensor of the model accounts for.
template <class T>
struct MemoryCoefficients {
  Quantity<Bytes::kDim, T> runtime;

  template <class V>
  static void Fields(V& v) {
    v("runtime",
      &MemoryCoefficients::runtime,
      "driver context, libraries and communication buffers of one process");
  }
};

// Every parameter that a fit may set, by operator family.
template <class T>
struct Coefficients {
  KernelCoefficients<T> gemm;
  KernelCoefficients<T> grouped_gemm;
  KernelCoefficients<T> prefill_attention;
  KernelCoefficients<T> decode_attention;
  KernelCoefficients<T> elementwise;
  KernelCoefficients<T> embedding;
  CollectiveCoefficients<T> collective;
  MemoryCoefficients<T> memory;

  template <class V>
  static void Fields(V& v) {
    v("gemm", &Coefficients::gemm, "dense matrix products");
    v("grouped_gemm", &Coefficients::grouped_gemm, "expert matrix products of MoE layers");
    v("prefill_attention",
      &Coefficients::prefill_attention,
      "attention of many queries a sequence, forward and backward");
    v("decode_attention", &Coefficients::decode_attention, "attention of one query a sequence");
    v("elementwise", &Coefficients::elementwise, "norms, activations, residuals, loss, optimizer");
    v("embedding", &Coefficients::embedding, "row gather from the token table");
    v("collective", &Coefficients::collective, "collectives over the cluster's tiers");
    v("memory", &Coefficients::memory, "memory beside the model's tensors");
  }
};

// A set of coefficients with where it comes from: a file of hardware/fits/.
struct Fit {
  std::string name;
  std::string title;
  std::optional<std::string> device;  // that it was fitted on; none: no device in particular
  Coefficients<double> coefficients;
  std::vector<FittedSeries> series;
  std::map<std::string, TransferError> transfer;

  Sources sources;
  std::string file;
  std::string hash;  // sha256 of a user's file; of all built-in fits together for one of those

  bool IsAssumed() const;  // no figure of it was fitted or measured
  void Check(SpecReader& reader) const;

  template <class V>
  static void Fields(V& v) {
    v("name", &Fit::name, "kebab-case");
    v("title", &Fit::title, "what it was fitted to");
    v("device", &Fit::device, "it was fitted on; left out where it is pooled or assumed");
    v("coefficients", &Fit::coefficients, "of operators that no series holds, by family");
    v("series", &Fit::series, "fitted forms, by family and number format");
    v("transfer", &Fit::transfer, "by family: what taking the fit over to another device costs");
  }
};

// Whether a file holds a fit: its first YAML document has a key `coefficients`.
bool IsFitText(std::string_view text);
// A fit from the text of its file, `place` for messages. Throws SpecError.
Fit ReadFit(std::string_view text, const std::string& place);

// By name (built in or on the search path) or path. The default is the only set there is.
Fit LoadFit(std::string_view name = "assumed");

}  // namespace roofcast
