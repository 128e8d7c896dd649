// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "models/kernels/op_list.h"

// For every operator: its family of coefficients, shapes to test, what grows it at a fixed
// algorithm, and its formats. An operator without its own CasesOf doesn't compile in
// identities_test.cpp.
namespace roofcast {

template <class O>
struct Growth {
  std::string_view name;
  void (*grow)(O&);
};

template <class O>
struct CasesOf;

template <>
struct CasesOf<Gemm> {
  static std::string_view FamilyOf(const Gemm&) { return "gemm."; }
  static std::vector<Gemm> Rows() {
    return {{1, 1, 1},
            {1, 8192, 8192},
            {64, 28672, 8192},
            {4096, 4096, 4096},
            {8192, 10240, 8192},
            {100'000, 128'256, 8192}};
  }
  static std::vector<Growth<Gemm>> Growths() {
    return {{"m", [](Gemm& op) { ++op.m; }},
            {"n", [](Gemm& op) { ++op.n; }},
            {"k", [](Gemm& op) { ++op.k; }},
            {"2m", [](Gemm& op) { op.m *= 2; }}};
  }
  static std::vector<DType Gemm::*> Formats() {
    return {&Gemm::math, &Gemm::input, &Gemm::weights, &Gemm::output};
  }
  static FlopRate PeakOf(const Gemm& op, const Device& device) { return device.PeakOf(op.math); }
};

template <>
struct CasesOf<GroupedGemm> {
  static std::string_view FamilyOf(const GroupedGemm&) { return "grouped_gemm."; }
  static std::vector<GroupedGemm> Rows() {
    return {{1, 1, 1, 1}, {8, 4096, 7168, 8}, {2048, 4096, 7168, 250.5}, {65'536, 2880, 2880, 32}};
  }
  static std::vector<Growth<GroupedGemm>> Growths() {
    return {{"rows", [](GroupedGemm& op) { ++op.rows; }},
            {"n", [](GroupedGemm& op) { ++op.n; }},
            {"k", [](GroupedGemm& op) { ++op.k; }},
            {"active", [](GroupedGemm& op) { op.active *= 1.5; }}};
  }
  static std::vector<DType GroupedGemm::*> Formats() {
    return {&GroupedGemm::math, &GroupedGemm::input, &GroupedGemm::weights, &GroupedGemm::output};
  }
  static FlopRate PeakOf(const GroupedGemm& op, const Device& device) {
    return device.PeakOf(op.math);
  }
};

template <>
struct CasesOf<FusedMoe> {
  static std::string_view FamilyOf(const FusedMoe&) { return "grouped_gemm."; }
  static std::vector<FusedMoe> Rows() {
    FusedMoe backward{
        .tokens = 4096, .hidden = 4096, .inter = 14'336, .per_token = 2, .experts = 8};
    backward.backward = true;
    FusedMoe balanced{.tokens = 500,
                      .hidden = 2688,
                      .inter = 1856,
                      .per_token = 6,
                      .experts = 128,
                      .gated = false};
    balanced.routing.kind = RoutingKind::kBalanced;
    return {{},
            {.tokens = 16,
             .hidden = 7168,
             .inter = 2048,
             .per_token = 8,
             .experts = 256,
             .tp = 2,
             .ep = 8},
            backward,
            balanced};
  }
  // Of random routing alone where more may be less: tokens dealt out in turn meet other experts.
  static std::vector<Growth<FusedMoe>> Growths() {
    return {{"tokens",
             [](FusedMoe& op) {
               if (op.routing.kind == RoutingKind::kUniform) ++op.tokens;
             }},
            {"hidden", [](FusedMoe& op) { ++op.hidden; }},
            {"inter", [](FusedMoe& op) { op.inter += op.tp; }},
            {"gated", [](FusedMoe& op) { op.gated = true; }},
            {"backward", [](FusedMoe& op) { op.backward = true; }}};
  }
  static std::vector<DType FusedMoe::*> Formats() {
    return {&FusedMoe::math,
            &FusedMoe::input,
            &FusedMoe::weights,
            &FusedMoe::output,
            &FusedMoe::gradients};
  }
  static FlopRate PeakOf(const FusedMoe& op, const Device& device) {
    return device.PeakOf(op.math);
  }
};

template <>
struct CasesOf<Attention> {
  static std::string_view FamilyOf(const Attention& op) {
    return op.queries == 1 ? "decode_attention." : "prefill_attention.";
  }
  static std::vector<Attention> Rows() {
    std::vector<Attention> rows = {
        {.batch = 1, .queries = 1, .keys = 1},
        {.batch = 64, .queries = 1, .keys = 4097, .heads = 8},
        {.batch = 2, .queries = 4096, .keys = 4096, .heads = 32, .kv_heads = 8},
        {.batch = 3, .queries = 512, .keys = 9000, .heads = 16, .kv_heads = 2},
        {.batch = 4, .queries = 2048, .keys = 2048, .heads = 64, .kv_heads = 8, .window = 128},
        {.batch = 9, .queries = 1, .keys = 700, .heads = 64, .kv_heads = 8, .window = 128},
        {.batch = 32,
         .queries = 1,
         .keys = 4097,
         .heads = 16,
         .head_dim = 576,
         .value_dim = 512,
         .shared_values = true}};
    Attention backward = rows[2];
    backward.backward = true;
    rows.push_back(backward);
    return rows;
  }
  // Of queries only where there are several already: one query is another algorithm.
  static std::vector<Growth<Attention>> Growths() {
    return {{"batch", [](Attention& op) { ++op.batch; }},
            {"queries",
             [](Attention& op) {
               if (op.queries > 1) ++op.queries, ++op.keys;
             }},
            {"keys", [](Attention& op) { ++op.keys; }},
            {"heads", [](Attention& op) { ++op.heads; }},
            {"kv_heads", [](Attention& op) { ++op.kv_heads; }},
            {"head_dim", [](Attention& op) { ++op.head_dim; }},
            {"value_dim", [](Attention& op) { ++op.value_dim; }},
            {"window",
             [](Attention& op) {
               if (op.window > 0) ++op.window;
             }},
            {"backward", [](Attention& op) { op.backward = true; }}};
  }
  static std::vector<DType Attention::*> Formats() {
    return {&Attention::math, &Attention::io, &Attention::kv};
  }
  static FlopRate PeakOf(const Attention& op, const Device& device) {
    return device.PeakOf(op.math);
  }
};

template <>
struct CasesOf<Elementwise> {
  static std::string_view FamilyOf(const Elementwise&) { return "elementwise."; }
  static std::vector<Elementwise> Rows() {
    return {{Bytes(1), Flops(0)}, {Bytes(1e6), Flops(1e6)}, {Bytes(1e3), Flops(1e12)}};
  }
  static std::vector<Growth<Elementwise>> Growths() {
    return {{"traffic", [](Elementwise& op) { op.traffic *= 1.1; }},
            {"work", [](Elementwise& op) { op.work *= 1.1; }}};
  }
  static std::vector<DType Elementwise::*> Formats() { return {}; }
  static FlopRate PeakOf(const Elementwise&, const Device& device) { return device.VectorPeak(); }
};

template <>
struct CasesOf<Embedding> {
  static std::string_view FamilyOf(const Embedding&) { return "embedding."; }
  static std::vector<Embedding> Rows() { return {{1, 1}, {64, 8192}, {100'000, 16'384}}; }
  static std::vector<Growth<Embedding>> Growths() {
    return {{"tokens", [](Embedding& op) { ++op.tokens; }},
            {"width", [](Embedding& op) { ++op.width; }}};
  }
  static std::vector<DType Embedding::*> Formats() { return {&Embedding::dtype}; }
  static FlopRate PeakOf(const Embedding&, const Device& device) { return device.VectorPeak(); }
};

template <>
struct CasesOf<StateScan> {
  static std::string_view FamilyOf(const StateScan& op) {
    const bool chunks = op.tokens > 1 && op.rule != ScanRule::kChannels;
    return chunks ? "prefill_attention." : "elementwise.";
  }
  static std::vector<StateScan> Rows() {
    std::vector<StateScan> rows;
    rows.reserve(18);
    for (const ScanRule rule : {ScanRule::kChannels, ScanRule::kDecay, ScanRule::kDelta}) {
      for (const std::int64_t tokens : {1, 40, 4096}) {
        for (const bool backward : {false, true}) {
          StateScan op;
          op.rule = rule;
          op.batch = 3;
          op.tokens = tokens;
          op.heads = 32;
          op.groups = 8;
          op.taps = 4;
          op.backward = backward;
          rows.push_back(op);
        }
      }
    }
    return rows;
  }
  // Of tokens only where there are several already: one token is another algorithm.
  static std::vector<Growth<StateScan>> Growths() {
    return {{"batch", [](StateScan& op) { ++op.batch; }},
            {"tokens",
             [](StateScan& op) {
               if (op.tokens > 1) ++op.tokens;
             }},
            {"heads", [](StateScan& op) { ++op.heads; }},
            {"head_dim", [](StateScan& op) { ++op.head_dim; }},
            {"groups", [](StateScan& op) { ++op.groups; }},
            {"state_dim", [](StateScan& op) { ++op.state_dim; }},
            {"taps", [](StateScan& op) { ++op.taps; }},
            {"backward", [](StateScan& op) { op.backward = true; }}};
  }
  static std::vector<DType StateScan::*> Formats() { return {&StateScan::math, &StateScan::io}; }
  // Products on the matrix units and the rest on the vector units, one after the other.
  static FlopRate PeakOf(const StateScan& op, const Device& device) {
    const ScanWork work = WorkOf(op);
    const Seconds matrix = work.matrix / device.PeakOf(op.math);
    return (work.matrix + work.vector) / (matrix + work.vector / device.VectorPeak());
  }
};

}  // namespace roofcast
