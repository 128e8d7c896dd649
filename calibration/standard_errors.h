// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "calibration/dataset.h"
#include "calibration/family.h"
#include "hardware/device.h"

namespace roofcast {

// The robust loss that fits minimise, SoftLOne of Ceres with width a:
//   cost = sum a^2 (sqrt(1 + (r/a)^2) - 1), psi = r / sqrt(1 + (r/a)^2).
// Residuals well below a count squared, those above linearly: an outlier pulls no more than a row
// that is off by a.
inline constexpr double kRobustWidth = 0.1;

// Standard errors of the free parameters x (0 for the others) of an M-estimate at its minimum:
//   V = B^-1 M B^-1, B = sum psi'(r_i) g_i g_i^T, g = dr/dx.
// The middle is either sum psi^2/(n - p) g_i g_i^T (independent rows: residual variance) or
// G/(G-1) sum over keys of s s^T, s = sum psi_i g_i (rows of a shape err together); the larger of
// the two errors is given, since few keys make the second one too small. A direction that the data
// says nothing about gets a huge error, never a failure.
// Source: Huber, Robust Statistics (1981), section 7.6, with the clusters of Liang and Zeger,
// Longitudinal data analysis using generalized linear models (1986). Range: more rows than free
// parameters.
ParameterValues StandardErrors(const std::vector<const Sample*>& samples,
                               const Device& device,
                               const ParameterScale& scale,
                               const ParameterValues& x,
                               const std::array<bool, kParameters>& free);

}  // namespace roofcast
