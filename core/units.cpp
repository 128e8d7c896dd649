// SPDX-License-Identifier: Apache-2.0
#include "core/units.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

constexpr double kKi = 1024.0;
constexpr double kHour = 3600.0;
constexpr bool kHidden = false;  // understood, but FormatRounded prefers its neighbours

constexpr std::array kTime = {Unit{"s", 1},
                              Unit{"ms", 1e-3},
                              Unit{"us", 1e-6},
                              Unit{"ns", 1e-9},
                              Unit{"min", 60},
                              Unit{"h", kHour},
                              Unit{"d", 24 * kHour}};
constexpr std::array kFrequency = {
    Unit{"Hz", 1}, Unit{"kHz", 1e3}, Unit{"MHz", 1e6}, Unit{"GHz", 1e9}};
constexpr std::array kBytes = {Unit{"B", 1},
                               Unit{"kB", 1e3},
                               Unit{"MB", 1e6},
                               Unit{"GB", 1e9},
                               Unit{"TB", 1e12},
                               Unit{"PB", 1e15},
                               Unit{"KiB", kKi, kHidden},
                               Unit{"MiB", kKi* kKi, kHidden},
                               Unit{"GiB", kKi* kKi* kKi, kHidden},
                               Unit{"TiB", kKi* kKi* kKi* kKi, kHidden}};
constexpr std::array kBandwidth = {Unit{"B/s", 1},
                                   Unit{"kB/s", 1e3},
                                   Unit{"MB/s", 1e6},
                                   Unit{"GB/s", 1e9},
                                   Unit{"TB/s", 1e12},
                                   Unit{"MiB/s", kKi* kKi, kHidden},
                                   Unit{"GiB/s", kKi* kKi* kKi, kHidden},
                                   Unit{"TiB/s", kKi* kKi* kKi* kKi, kHidden},
                                   Unit{"Mbit/s", 1e6 / 8, kHidden},
                                   Unit{"Gbit/s", 1e9 / 8, kHidden},
                                   Unit{"Tbit/s", 1e12 / 8, kHidden}};
constexpr std::array kFlops = {Unit{"FLOP", 1},
                               Unit{"MFLOP", 1e6},
                               Unit{"GFLOP", 1e9},
                               Unit{"TFLOP", 1e12},
                               Unit{"PFLOP", 1e15},
                               Unit{"EFLOP", 1e18},
                               Unit{"ZFLOP", 1e21}};
constexpr std::array kFlopRate = {Unit{"FLOP/s", 1},
                                  Unit{"MFLOP/s", 1e6},
                                  Unit{"GFLOP/s", 1e9},
                                  Unit{"TFLOP/s", 1e12},
                                  Unit{"PFLOP/s", 1e15},
                                  Unit{"EFLOP/s", 1e18}};
constexpr std::array kJoules = {Unit{"J", 1},
                                Unit{"mJ", 1e-3},
                                Unit{"kJ", 1e3},
                                Unit{"MJ", 1e6},
                                Unit{"Wh", kHour, kHidden},
                                Unit{"kWh", 1e3 * kHour},
                                Unit{"MWh", 1e6 * kHour},
                                Unit{"GWh", 1e9 * kHour}};
constexpr std::array kWatts = {Unit{"W", 1}, Unit{"mW", 1e-3}, Unit{"kW", 1e3}, Unit{"MW", 1e6}};
constexpr std::array kDollars = {Unit{"USD", 1}};
constexpr std::array kDollarRate = {Unit{"USD/s", 1, kHidden}, Unit{"USD/h", 1 / kHour}};

struct DimensionRow {
  Dim dim;
  std::string_view suffix;
  std::span<const Unit> units;
};
// The one list of dimensions that have a name.
constexpr std::array kDimensions = {
    DimensionRow{Seconds::kDim, "_s", kTime},
    DimensionRow{Hertz::kDim, "_hz", kFrequency},
    DimensionRow{Bytes::kDim, "_bytes", kBytes},
    DimensionRow{Bandwidth::kDim, "_bytes_per_s", kBandwidth},
    DimensionRow{Flops::kDim, "_flops", kFlops},
    DimensionRow{FlopRate::kDim, "_flops_per_s", kFlopRate},
    DimensionRow{Joules::kDim, "_j", kJoules},
    DimensionRow{Watts::kDim, "_w", kWatts},
    DimensionRow{Dollars::kDim, "_usd", kDollars},
    DimensionRow{DollarRate::kDim, "_usd_per_s", kDollarRate},
};

const DimensionRow* FindDimension(Dim dim) {
  for (const DimensionRow& row : kDimensions) {
    if (row.dim == dim) return &row;
  }
  return nullptr;
}

std::string ListUnits(Dim dim) {
  std::string text;
  for (const Unit& unit : UnitsOf(dim)) {
    if (!text.empty()) text += ", ";
    text += unit.symbol;
  }
  return text;
}

// What people write instead, and what they may have meant: "; write ..." or "".
std::string CureFor(Dim dim, std::string_view symbol) {
  const std::string folded = NormaliseName(symbol.substr(0, 16));
  if (folded.empty()) return "";
  const char upper = folded[0] == 'k' ? 'K' : static_cast<char>(std::toupper(folded[0]));
  const std::string binary(1, upper);
  const std::string decimal(1, upper == 'K' ? 'k' : upper);
  const std::string_view rest = std::string_view(folded).substr(1);
  const auto prefixed = [&](std::string_view prefixes) {
    return prefixes.find(folded[0]) != std::string_view::npos;
  };
  if (dim == Bandwidth::kDim && prefixed("mgt") && (rest == "b/s" || rest == "bps")) {
    return "; write " + decimal + "B/s for bytes or " + decimal + "bit/s for bits";
  }
  if (dim == Bytes::kDim && prefixed("kmgt") &&
      (rest == "b" || rest == "ib" || rest == "byte" || rest == "bytes" || rest.empty())) {
    return "; write " + decimal + "B for powers of 1000 or " + binary + "iB for powers of 1024";
  }
  if (dim == FlopRate::kDim && prefixed("mgtpe") &&
      (rest == "flops" || rest == "flop" || rest == "flops/s")) {
    return "; write " + decimal + "FLOP/s";
  }
  for (const Unit& unit : UnitsOf(dim)) {
    if (unit.symbol == symbol) return "";  // it is the number that is wrong
  }
  for (const Unit& unit : UnitsOf(dim)) {
    if (NormaliseName(unit.symbol) == folded) return "; write " + std::string(unit.symbol);
  }
  return "";
}

// The formatting of numbers is std::to_chars throughout: printf follows the locale, which a program
// around us may have set to one with a decimal comma.
template <class... Format>
std::string Digits(double value, Format... format) {
  std::array<char, 340> buffer{};  // the largest double has 309 digits before the point
  const auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return error == std::errc{} ? std::string(buffer.data(), end) : "?";
}

double Rounded(double value, int significant) {
  return ParseNumber(Digits(value, std::chars_format::scientific, significant - 1)).value_or(value);
}

// Three significant digits, and all digits before the point.
std::string RoundedNumber(double value) {
  if (!std::isfinite(value)) return FormatExact(value);
  const double rounded = std::fabs(value) < 1000 ? Rounded(value, 3) : value;
  const double size = std::fabs(rounded);
  if (size == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(size)));
  constexpr int kMostDecimals = 9;
  if (exponent < 2 - kMostDecimals) return Digits(rounded, std::chars_format::scientific, 2);
  return Digits(rounded, std::chars_format::fixed, std::max(0, 2 - exponent));
}

}  // namespace

std::span<const Unit> UnitsOf(Dim dim) {
  const DimensionRow* row = FindDimension(dim);
  return row ? row->units : std::span<const Unit>{};
}

std::string_view UnitSuffix(Dim dim) {
  const DimensionRow* row = FindDimension(dim);
  return row ? row->suffix : std::string_view{};
}

namespace {

// Length of the number at the start of `text`: digits and a point, then an exponent if it is one
// (the "e" of "5 exa" is not).
std::size_t NumberLength(std::string_view text) {
  const auto digits_from = [&](std::size_t at) {
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
  };
  std::size_t length = text.starts_with('-') ? 1 : 0;
  length = digits_from(length);
  if (length < text.size() && text[length] == '.') length = digits_from(length + 1);
  if (length == 0 || length >= text.size() || (text[length] != 'e' && text[length] != 'E')) {
    return length;
  }
  std::size_t exponent = length + 1;
  if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-')) ++exponent;
  const std::size_t end = digits_from(exponent);
  return end > exponent ? end : length;
}

// Small units divide: 30 / 1000 is the double nearest to 0.03, 30 * 1e-3 is not.
double ToBase(double number, const Unit& unit) {
  return unit.size < 1 ? number / std::round(1 / unit.size) : number * unit.size;
}
double FromBase(double value, const Unit& unit) {
  return unit.size < 1 ? value * std::round(1 / unit.size) : value / unit.size;
}

// Shortest digits that come back as `value` through the unit; "" if none do.
std::string ExactIn(const Unit& unit, double value) {
  const double number = FromBase(value, unit);
  if (!std::isfinite(number)) return "";
  if (ToBase(number, unit) == value) {
    // The division may have left dust in the last digits: 2.99 USD/h is 8.3e-4 USD/s and back.
    for (int digits = 1; digits <= 15; ++digits) {
      const double rounded = Rounded(number, digits);
      if (ToBase(rounded, unit) == value) return FormatExact(rounded);
    }
    return FormatExact(number);
  }
  return "";
}

}  // namespace

double ParseQuantity(Dim dim, std::string_view text) {
  const std::string_view trimmed = Trim(text);
  const std::size_t length = NumberLength(trimmed);
  const std::string_view symbol = Trim(trimmed.substr(length));
  if (const auto number = ParseNumber(trimmed.substr(0, length))) {
    for (const Unit& unit : UnitsOf(dim)) {
      if (unit.symbol != symbol) continue;
      const double value = ToBase(*number, unit);
      if (std::isfinite(value)) return value;
    }
  }
  throw ArgumentError(Quoted(text) + " needs a number and one of the units " + ListUnits(dim) +
                      CureFor(dim, symbol));
}

std::string FormatQuantity(Dim dim, double value) {
  std::string shortest;
  double size = 0;  // of its unit
  if (std::isfinite(value)) {
    for (const Unit& unit : UnitsOf(dim)) {
      const std::string number = ExactIn(unit, value);
      if (number.empty()) continue;
      const std::string text = number + " " + std::string(unit.symbol);
      // 3.35 TB/s is as long as 3350 GB/s and easier to read.
      const bool tie = text.size() == shortest.size() && unit.size > size && value >= unit.size;
      if (shortest.empty() || text.size() < shortest.size() || tie) {
        shortest = text;
        size = unit.size;
      }
    }
  }
  return shortest.empty() ? FormatExact(value) : shortest;
}

std::string FormatRounded(Dim dim, double value) {
  const auto units = UnitsOf(dim);
  if (units.empty() || !std::isfinite(value)) return RoundedNumber(value);
  // The largest unit that leaves at least 1 after rounding; below all of them, the smallest.
  const Unit* best = nullptr;
  const Unit* smallest = nullptr;
  const double size = Rounded(std::fabs(value), 3);
  for (const Unit& unit : units) {
    if (!unit.shown) continue;
    if (smallest == nullptr || unit.size < smallest->size) smallest = &unit;
    if (unit.size <= size && (best == nullptr || unit.size > best->size)) best = &unit;
  }
  if (best == nullptr) best = value == 0 && units.front().shown ? &units.front() : smallest;
  return RoundedNumber(value / best->size) + " " + std::string(best->symbol);
}

std::string FormatGib(Bytes bytes) {
  const double size = std::fabs(bytes.value());
  if (size >= kKi * kKi * kKi) return RoundedNumber(bytes.value() / (kKi * kKi * kKi)) + " GiB";
  if (size >= kKi * kKi) return RoundedNumber(bytes.value() / (kKi * kKi)) + " MiB";
  if (size >= kKi) return RoundedNumber(bytes.value() / kKi) + " KiB";
  return FormatExact(bytes.value()) + " B";
}

std::string FormatCount(double count) {
  const double size = Rounded(std::fabs(count), 3);
  if (size >= 1e12) return RoundedNumber(count / 1e12) + " T";
  if (size >= 1e9) return RoundedNumber(count / 1e9) + " B";
  if (size >= 1e6) return RoundedNumber(count / 1e6) + " M";
  if (size >= 1e4) return RoundedNumber(count / 1e3) + " k";
  return FormatExact(count);
}

}  // namespace roofcast
