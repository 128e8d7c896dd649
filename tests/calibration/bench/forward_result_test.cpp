// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/forward_result.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace roofcast::bench {
namespace {

// Passes that took 1 ms and were predicted at so many times that, 10 % to either side.
EndToEndRun Run(const std::vector<double>& ratios, bool quiet) {
  EndToEndRun run;
  for (const double ratio : ratios) {
    run.forwards.push_back({"model",
                            "prefill 1 x 32",
                            DType::kFp32,
                            Seconds(1e-3),
                            Seconds(ratio * 1e-3),
                            Seconds(ratio * 0.9e-3),
                            Seconds(ratio * 1.1e-3)});
  }
  run.operator_errors = {{"gemm fp32", 5.0}};
  if (!quiet) run.noise.busy = 2;
  return run;
}

std::string Text(const std::vector<EndToEndRun>& runs) {
  EndToEnd result;
  result.runs[DType::kFp32] = runs;
  return FormatEndToEnd(result);
}

bool Has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("The error of an end-to-end comparison is the median of its runs' means") {
  const std::vector<EndToEndRun> runs = {
      Run({1.1, 0.9}, true), Run({1.02, 1.02}, true), Run({1.5, 1.5}, true)};
  CHECK(runs[0].Mape() == doctest::Approx(10));
  CHECK(MapeOf(runs) == doctest::Approx(10));
}

TEST_CASE("The verdict tells a good prediction from a noisy machine and from a bad model") {
  const std::string good = Text({Run({1.05}, false), Run({0.95}, false), Run({1.01}, false)});
  CHECK(Has(good, "MAPE over passes 5.0, 5.0 and 1.0 % in 3 runs, median 5.0 %"));
  CHECK(Has(good, "3 of 3 inside their 90 % intervals: within 10 %."));
  const std::string noisy = Text({Run({1.3}, true), Run({1.3}, false), Run({1.3}, true)});
  CHECK(Has(noisy, "median 30.0 %; 0 of 3 inside their 90 % intervals: the machine was not quiet"));
  const std::string bad = Text({Run({1.3}, true), Run({1.3}, true), Run({1.3}, true)});
  CHECK(Has(bad, "on a quiet machine: the forms don't describe this processor"));
}

}  // namespace roofcast::bench
