// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "models/kernels/residual_field.h"

namespace roofcast {

// Fixed once for all families: chosen by cross-validation of GEMM, where halving or doubling any
// of them changes errors by less than 0.2 points.
struct ResidualOptions {
  double length = 4;         // octaves that a correction reaches
  double amplitude = 0.12;   // prior standard deviation of the correction's logarithm
  double noise = 0.05;       // of a measurement
  double clip = 0.35;        // residuals beyond are taken as this
  std::size_t points = 128;  // inducing points at most
};

// The correction that explains `residuals` (log(measured / predicted) at `sizes`), robustly: three
// rounds of Huber weights. Inducing points are the measured places farthest from each other.
// Source: [quinonero2005sparse], deterministic training conditional. Range: as many sizes as
// residuals, at least one.
ResidualField FitResidual(const std::vector<SizeList>& sizes,
                          const std::vector<double>& residuals,
                          const ResidualOptions& options = {});

}  // namespace roofcast
