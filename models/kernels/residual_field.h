// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "models/kernels/form.h"

namespace roofcast {

// A smooth correction of a form's logarithm over the shape,
//   g(x) = sum_j w_j exp(-|x - z_j| / l),  x = log2 of the sizes,
// with a few inducing points z_j among the measured shapes. It is the posterior mean of a Gaussian
// process with an exponential kernel, projected on these points: far from them it is 0 and the
// form stands alone. Source: [quinonero2005sparse]. Range: any sizes.
struct ResidualField {
  double length = 4;  // octaves
  std::size_t dimensions = 0;
  std::vector<std::array<double, SizeList::kMost>> points;  // log2 of sizes
  std::vector<double> weights;

  double At(const SizeList& sizes) const;
};

// log2 of the sizes; beyond `count` zero.
std::array<double, SizeList::kMost> PlaceOf(const SizeList& sizes);

// "8 4096 4096 0.031; ...": sizes in the form's order, then the weight, and back. Throws
// ArgumentError when it isn't that.
std::string FormatPoints(const ResidualField& field);
ResidualField ParsePoints(std::string_view text, std::size_t dimensions, double length);

}  // namespace roofcast
