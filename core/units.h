// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/quantity.h"

namespace roofcast {

// A unit as people write it and its size in the base unit. GB is 10^9 and GiB is 2^30 bytes;
// Gbit/s is spelled out, and Gb/s, gbps and GBps are refused because they are read both ways.
struct Unit {
  std::string_view symbol;
  double size;
  bool shown = true;  // FormatRounded may choose it
};

// The units of a dimension; the first is the base unit (size 1). Empty for an unnamed dimension.
std::span<const Unit> UnitsOf(Dim dim);

// What is appended to a name that holds the bare number: "_s", "_bytes_per_s", ...
std::string_view UnitSuffix(Dim dim);

// "3.35 TB/s" -> base units; the space may be left out. Throws ArgumentError: "'3 TFLOP/s' needs a
// number and one of the units B/s, kB/s, ...".
double ParseQuantity(Dim dim, std::string_view text);

// Shortest text, over all units, that ParseQuantity reads back as the same value, of two the one in
// the larger unit: 3.35e12 B/s -> "3.35 TB/s". A dimension without units, and a value that is not
// finite, gives the bare number.
std::string FormatQuantity(Dim dim, double value);

// For people: three significant digits in a fitting unit ("14.3 ms", "70.6 GB").
std::string FormatRounded(Dim dim, double value);

template <Dim D>
Quantity<D> Parse(std::string_view text) {
  return Quantity<D>(ParseQuantity(D, text));
}
template <Dim D>
std::string Format(const Quantity<D>& quantity) {
  return FormatRounded(D, quantity.value());
}

// Memory sizes for people: binary units, "65.7 GiB".
std::string FormatGib(Bytes bytes);
// Counts for people: "70.6 B", "8.03 B", "355 M", "12".
std::string FormatCount(double count);

}  // namespace roofcast
