// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/residual_field.h"

#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {

std::array<double, SizeList::kMost> PlaceOf(const SizeList& sizes) {
  std::array<double, SizeList::kMost> place{};
  for (std::size_t i = 0; i < sizes.count; ++i) place[i] = std::log2(sizes.sizes[i].second);
  return place;
}

double ResidualField::At(const SizeList& sizes) const {
  const auto place = PlaceOf(sizes);
  double sum = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    double square = 0;
    for (std::size_t i = 0; i < dimensions; ++i) {
      const double step = place[i] - points[j][i];
      square += step * step;
    }
    sum += weights[j] * std::exp(-std::sqrt(square) / length);
  }
  return sum;
}

std::string FormatPoints(const ResidualField& field) {
  std::string text;
  std::array<char, 32> number{};
  for (std::size_t j = 0; j < field.points.size(); ++j) {
    if (j > 0) text += "; ";
    for (std::size_t i = 0; i < field.dimensions; ++i) {
      std::snprintf(number.data(), number.size(), "%.6g ", std::exp2(field.points[j][i]));
      text += number.data();
    }
    std::snprintf(number.data(), number.size(), "%.4g", field.weights[j]);
    text += number.data();
  }
  return text;
}

ResidualField ParsePoints(std::string_view text, std::size_t dimensions, double length) {
  ResidualField field;
  field.length = length;
  field.dimensions = dimensions;
  while (!text.empty()) {
    const std::size_t end = text.find(';');
    std::string_view point = text.substr(0, end);
    text = end == std::string_view::npos ? "" : text.substr(end + 1);
    const auto parsed = ParseNumbers(point);
    if (!parsed || parsed->size() != dimensions + 1) {
      throw ArgumentError("residual points: '" + Printable(point) + "' needs " +
                          std::to_string(dimensions) + " sizes and a weight");
    }
    const std::vector<double>& numbers = *parsed;
    std::array<double, SizeList::kMost> place{};
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (!(numbers[i] > 0)) {
        throw ArgumentError("residual points: '" + Printable(point) +
                            "' has a size that is not "
                            "positive");
      }
      place[i] = std::log2(numbers[i]);
    }
    field.points.push_back(place);
    field.weights.push_back(numbers.back());
  }
  return field;
}

}  // namespace roofcast
