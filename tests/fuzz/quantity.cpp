// SPDX-License-Identifier: Apache-2.0
// Any text as a quantity, a number, a name and something to print.
#include <cmath>
#include <string>

#include "core/dtype.h"
#include "core/text.h"
#include "core/units.h"
#include "core/utf8.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  const auto text = fuzzing::TextOf(data, size);
  for (const Dim dim : {Seconds::kDim,
                        Bytes::kDim,
                        Bandwidth::kDim,
                        FlopRate::kDim,
                        Joules::kDim,
                        DollarRate::kDim,
                        Dim{.s = 5}}) {
    double value = 0;
    if (!fuzzing::Accepts([&] { value = ParseQuantity(dim, text); })) continue;
    fuzzing::Require(std::isfinite(value));
    fuzzing::Require(ParseQuantity(dim, FormatQuantity(dim, value)) == value);
    fuzzing::Require(!FormatRounded(dim, value).empty());
  }
  if (const auto number = ParseNumber(text)) {
    fuzzing::Require(ParseNumber(FormatExact(*number)) == number);
    FormatCount(*number);
    FormatGib(Bytes(*number));
  }
  const std::string printable = Printable(text);
  fuzzing::Require(FindBadUtf8(printable) == std::string_view::npos);
  fuzzing::Require(Printable(printable) == printable);
  fuzzing::Require(FindBadUtf8(Quoted(text)) == std::string_view::npos);
  fuzzing::Require(NormaliseName(NormaliseName(text)) == NormaliseName(text));
  NearestName(text, {"h100-sxm", "h200-sxm", "a100-sxm"});
  FindDType(text);
  return 0;
}
