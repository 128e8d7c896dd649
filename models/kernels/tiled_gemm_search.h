// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "models/kernels/tiled_gemm_terms.h"

namespace roofcast::internal {

// (a^p + b^p + d^p)^(1/p) of non-negative values, of which one isn't 0.
double Combine(double a, double b, double d, double p);

// The candidates that have a weight: within the window of the fastest.
struct Choices {
  static constexpr int kMost = 32 * 12;  // tiles of a library times splits
  std::array<Candidate, kMost> list;
  int count = 0;
  int best = 0;
};
void FindChoices(const TiledGemm::Features& f,
                 const Shared<double>& s,
                 const TiledGemm::Coefficients<double>& c,
                 Choices& choices);

}  // namespace roofcast::internal
