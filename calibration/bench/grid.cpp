// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/grid.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace roofcast::bench {
namespace {

struct Sizes {
  std::int64_t n;
  std::int64_t k;
};
// The first of each list are the quick ones.
constexpr std::array<Sizes, 15> kWeights = {{{512, 512},
                                             {1536, 512},
                                             {1024, 1024},
                                             {1024, 3072},
                                             {4096, 1024},
                                             {2048, 2048},
                                             {512, 2048},
                                             {16384, 512},
                                             // Beyond the quick ones.
                                             {1024, 512},
                                             {2048, 1024},
                                             {3072, 1024},
                                             {4096, 512},
                                             {1024, 4096},
                                             {8192, 1024},
                                             {24576, 1024}}};
constexpr std::size_t kQuickWeights = 8;
constexpr std::array<std::int64_t, 14> kRows = {
    1, 4, 8, 16, 32, 64, 128, 256, 2, 24, 48, 96, 192, 512};
constexpr std::size_t kQuickRows = 8;
constexpr double kMostWork = 3e10;

constexpr std::array<Sizes, 8> kVectors = {{{896, 640},
                                            {2560, 640},
                                            {896, 2304},
                                            {5120, 1280},
                                            // Beyond the quick ones.
                                            {704, 640},
                                            {6144, 2048},
                                            {4096, 4096},
                                            {12288, 1536}}};
constexpr std::size_t kQuickVectors = 4;

struct Heads {
  std::int64_t heads;
  std::int64_t kv_heads;
  std::int64_t dim;
};
constexpr std::array<Heads, 7> kHeads = {
    {{8, 8, 64}, {16, 4, 64}, {16, 16, 64}, {4, 4, 128}, {24, 8, 64}, {8, 2, 128}, {32, 8, 64}}};
constexpr std::size_t kQuickHeads = 5;

struct Lengths {
  std::int64_t batch;
  std::int64_t queries;
  std::int64_t keys;
};
constexpr std::array<Lengths, 11> kPrompts = {{{1, 32, 32},
                                               {1, 96, 96},
                                               {1, 192, 192},
                                               {1, 384, 384},
                                               {4, 64, 64},
                                               // Beyond the quick ones.
                                               {1, 64, 64},
                                               {1, 768, 768},
                                               {2, 128, 128},
                                               {8, 32, 32},
                                               {1, 64, 512},
                                               {1, 128, 1024}}};
constexpr std::size_t kQuickPrompts = 5;
constexpr std::array<Lengths, 12> kContexts = {{{1, 1, 192},
                                                {1, 1, 640},
                                                {1, 1, 1536},
                                                {3, 1, 384},
                                                {6, 1, 320},
                                                {12, 1, 384},
                                                {24, 1, 192},
                                                // Beyond the quick ones.
                                                {1, 1, 96},
                                                {1, 1, 3072},
                                                {2, 1, 768},
                                                {16, 1, 128},
                                                {24, 1, 512}}};
constexpr std::size_t kQuickContexts = 7;

constexpr std::array<std::string_view, 4> kPasses = {"add_norm", "silu_mul", "add", "rotary"};
constexpr std::array<std::int64_t, 5> kColumns = {512, 1024, 2048, 1536, 4096};
constexpr std::size_t kQuickColumns = 4;
constexpr std::array<std::int64_t, 8> kPassRows = {1, 8, 48, 384, 4, 24, 128, 1024};
constexpr std::size_t kQuickPassRows = 5;

template <class T, std::size_t N>
std::span<const T> Some(const std::array<T, N>& all, std::size_t quick_count, bool quick) {
  return {all.data(), quick ? quick_count : N};
}

void AddProducts(DType dtype, bool quick, std::vector<Case>& cases) {
  for (const Sizes& sizes : Some(kWeights, kQuickWeights, quick)) {
    for (const std::int64_t m : Some(kRows, kQuickRows, quick)) {
      Case c;
      c.part = Part::kGemm;
      c.dtype = dtype;
      c.m = m;
      c.n = sizes.n;
      c.k = sizes.k;
      if (c.Work().value() <= kMostWork) cases.push_back(c);
    }
  }
}

void AddVectors(DType dtype, bool quick, std::vector<Case>& cases) {
  for (const Sizes& sizes : Some(kVectors, kQuickVectors, quick)) {
    Case c;
    c.part = Part::kGemv;
    c.dtype = dtype;
    c.m = 1;
    c.n = sizes.n;
    c.k = sizes.k;
    cases.push_back(c);
  }
}

void AddAttention(DType dtype, bool quick, std::vector<Case>& cases) {
  for (const Heads& heads : Some(kHeads, kQuickHeads, quick)) {
    const auto add = [&](const Lengths& lengths) {
      Case c;
      c.part = Part::kAttention;
      c.dtype = dtype;
      c.batch = lengths.batch;
      c.queries = lengths.queries;
      c.keys = lengths.keys;
      c.heads = heads.heads;
      c.kv_heads = heads.kv_heads;
      c.head_dim = heads.dim;
      cases.push_back(c);
    };
    for (const Lengths& lengths : Some(kPrompts, kQuickPrompts, quick)) add(lengths);
    for (const Lengths& lengths : Some(kContexts, kQuickContexts, quick)) add(lengths);
  }
}

void AddPasses(DType dtype, bool quick, std::vector<Case>& cases) {
  for (const std::string_view op : kPasses) {
    for (const std::int64_t columns : Some(kColumns, kQuickColumns, quick)) {
      for (const std::int64_t rows : Some(kPassRows, kQuickPassRows, quick)) {
        Case c;
        c.part = Part::kElementwise;
        c.dtype = dtype;
        c.op = op;
        c.rows = rows;
        c.columns = columns;
        cases.push_back(c);
      }
    }
  }
}

// By footprint: from the first cache to several times the last one.
void AddMemory(bool quick, std::optional<Bytes> cache, std::vector<Case>& cases) {
  const double largest = 4 * std::max(cache.value_or(Bytes(0)).value(), 64.0 * 1024 * 1024);
  for (const std::string_view op : {"read", "triad"}) {
    for (std::int64_t bytes = 16384; bytes <= static_cast<std::int64_t>(largest);
         bytes *= quick ? 4 : 2) {
      Case c;
      c.part = Part::kMemory;
      c.dtype = DType::kFp32;
      c.op = op;
      c.rows = bytes / 16384;
      c.columns = 4096;
      cases.push_back(c);
    }
  }
}

}  // namespace

std::vector<Case> MakeGrid(const GridChoice& choice) {
  const auto wants = [&](Part part) { return choice.parts.empty() || choice.parts.contains(part); };
  std::vector<Case> cases;
  for (const DType dtype : choice.formats) {
    if (wants(Part::kGemm)) AddProducts(dtype, choice.quick, cases);
    if (wants(Part::kGemv)) AddVectors(dtype, choice.quick, cases);
    if (dtype == DType::kInt8) continue;
    if (wants(Part::kAttention)) AddAttention(dtype, choice.quick, cases);
    if (wants(Part::kElementwise)) AddPasses(dtype, choice.quick, cases);
  }
  if (wants(Part::kMemory)) AddMemory(choice.quick, choice.last_level_cache, cases);
  return cases;
}

}  // namespace roofcast::bench
