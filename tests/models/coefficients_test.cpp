// SPDX-License-Identifier: Apache-2.0
#include "models/coefficients.h"

#include <doctest/doctest.h>

#include "core/catalog.h"
#include "core/error.h"
#include "core/spec_reader.h"
#include "core/text.h"
#include "core/yaml_node.h"
#include "tests/models/kernels/figures.h"

namespace roofcast {
namespace {

constexpr std::string_view kText = R"(name: my-fit
title: A set of coefficients
references:
  guess: {title: A guess, kind: assumed, note: for tests}
from: guess
coefficients:
  gemm:
    intercept: 3 us
    compute_efficiency: 0.75
    memory_efficiency: 0.8
    overlap_exponent: 4
  grouped_gemm:
    {intercept: 3 us, compute_efficiency: 0.75, memory_efficiency: 0.8, overlap_exponent: 4}
  prefill_attention:
    {intercept: 3 us, compute_efficiency: 0.75, memory_efficiency: 0.8, overlap_exponent: 4}
  decode_attention:
    {intercept: 3 us, compute_efficiency: 0.75, memory_efficiency: 0.8, overlap_exponent: 4}
  elementwise:
    {intercept: 3 us, compute_efficiency: 0.75, memory_efficiency: 0.8, overlap_exponent: 4}
  embedding:
    {intercept: 3 us, compute_efficiency: 0.75, memory_efficiency: 0.8, overlap_exponent: 4}
  collective: {intercept: 5 us, inner_hop: 1 us, outer_hop: 10 us, bandwidth_efficiency: 0.75}
  memory:
    runtime: 1.25 GiB
)";

std::string Replaced(std::string_view in, std::string_view from, std::string_view to) {
  std::string text(in);
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
std::string ProblemsOf(const std::string& text) {
  try {
    ReadSpec<Fit>(ParseYaml(text, "my_fit.yaml"), BuiltInReferences());
  } catch (const SpecError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a family's list of fields names every figure of the struct") {
  CHECK(sizeof(Coefficients<double>) == FiguresOf({}).size() * sizeof(double));
}

TEST_CASE("the built-in coefficients are assumed, and every figure of them says so") {
  const Fit fit = LoadFit();
  CHECK(fit.name == "assumed");
  CHECK(fit.IsAssumed());
  CHECK(fit.hash.size() == 64);
  for (const NamedFigure& figure : FiguresOf(fit.coefficients)) {
    CAPTURE(figure.name);
    CHECK(figure.value > 0);
    const auto source = fit.sources.find("coefficients." + figure.name);
    REQUIRE(source != fit.sources.end());
    CHECK(source->second.kind == SourceKind::kAssumed);
  }
}

TEST_CASE("one measured figure makes a fit more than assumed") {
  const std::string text =
      Replaced(kText, "runtime: 1.25 GiB", "runtime: {value: 1.25 GiB, kind: measured}");
  const Fit fit = ReadSpec<Fit>(ParseYaml(text, "my_fit.yaml"), BuiltInReferences());
  CHECK(!fit.IsAssumed());
}

TEST_CASE("an efficiency above one and an exponent below one are refused together") {
  std::string text = Replaced(kText, "compute_efficiency: 0.75", "compute_efficiency: 1.5");
  text = Replaced(text, "overlap_exponent: 4", "overlap_exponent: 0.5");
  CHECK(ProblemsOf(text) ==
        "my_fit.yaml:9:25: coefficients.gemm.compute_efficiency: is above 1; an efficiency is a "
        "share of the peak\n"
        "my_fit.yaml:11:23: coefficients.gemm.overlap_exponent: is below 1; 1 adds the terms, "
        "larger values overlap them");
}

TEST_CASE("an efficiency of zero is refused before it divides anything") {
  CHECK(ProblemsOf(Replaced(kText, "efficiency: 0.8", "efficiency: 0")) ==
        "my_fit.yaml:10:24: coefficients.gemm.memory_efficiency: '0' is not positive");
}

TEST_CASE("an unknown set of coefficients names the nearest") {
  CHECK_THROWS_WITH_AS(
      LoadFit("assumd"), "fits: no coefficients 'assumd'; did you mean 'assumed'?", NotFoundError);
  CHECK_THROWS_WITH_AS(
      LoadFit("h100"), "fits: no coefficients 'h100'; did you mean 'h100-sxm'?", NotFoundError);
}

}  // namespace roofcast
