// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/gemm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "hardware/catalog.h"
#include "tests/models/kernels/figures.h"

namespace roofcast {
namespace {

// Mean number of experts hit, over every way in which the tokens can choose.
double Enumerated(int experts, int per_token, int tokens) {
  std::vector<unsigned> choices;
  for (unsigned set = 0; set < (1U << experts); ++set) {
    if (std::popcount(set) == per_token) choices.push_back(set);
  }
  std::vector<std::size_t> pick(static_cast<std::size_t>(tokens), 0);
  double sum = 0;
  double ways = 0;
  while (true) {
    unsigned hit = 0;
    for (const std::size_t choice : pick) hit |= choices[choice];
    sum += std::popcount(hit);
    ++ways;
    std::size_t digit = 0;
    while (digit < pick.size() && ++pick[digit] == choices.size()) pick[digit++] = 0;
    if (digit == pick.size()) return sum / ways;
  }
}

}  // namespace

TEST_CASE("GEMM counts two operations a multiply-add and each operand once in its own format") {
  const Gemm op{3, 5, 7, DType::kBf16, DType::kFp8, DType::kFp4, DType::kFp32};
  const auto cost = CostOf<double>(op, LoadDevice("h100-sxm"), RoundCoefficients());
  CHECK(cost.work == Flops(2 * 3 * 5 * 7));
  CHECK(cost.traffic == Bytes(3 * 7 * 1 + 5 * 7 * 0.5 + 3 * 5 * 4));
}

TEST_CASE("GEMM time by hand, on both sides of the ridge") {
  // t0 3 us, 75 % of 989.4 TFLOP/s, 80 % of 3350 GB/s, exponent 4.
  const Device device = LoadDevice("h100-sxm");
  const Coefficients<double> coefficients = RoundCoefficients();
  const auto decode = CostOf<double>(Gemm{1, 8192, 8192}, device, coefficients);
  CHECK(decode.time.value() == doctest::Approx(3e-6 + 134'250'496.0 / 2.68e12).epsilon(1e-6));
  CHECK(decode.bound == Bound::kMemory);
  const auto prefill = CostOf<double>(Gemm{8192, 8192, 8192}, device, coefficients);
  CHECK(prefill.compute.value() == doctest::Approx(1'099'511'627'776.0 / 742.05e12));
  CHECK(prefill.time.value() == doctest::Approx(3e-6 + prefill.compute.value()).epsilon(1e-4));
  CHECK(prefill.bound == Bound::kCompute);
  CHECK(CostOf<double>(Gemm{1, 64, 64}, device, coefficients).bound == Bound::kHost);
}

TEST_CASE("a grouped GEMM reads the weights of the experts that are hit") {
  const GroupedGemm op{6, 5, 7, 2.5, DType::kBf16, DType::kBf16, DType::kFp8, DType::kBf16};
  const auto cost = CostOf<double>(op, LoadDevice("h100-sxm"), RoundCoefficients());
  CHECK(cost.work == Flops(2 * 6 * 5 * 7));
  CHECK(cost.traffic == Bytes(6 * 7 * 2 + 2.5 * 5 * 7 * 1 + 6 * 5 * 2));
}

TEST_CASE("a grouped GEMM of one expert is a GEMM where the coefficients are") {
  Coefficients<double> coefficients = RoundCoefficients();
  coefficients.grouped_gemm = coefficients.gemm;
  const Device device = LoadDevice("h100-sxm");
  CHECK(CostOf<double>(GroupedGemm{40, 512, 256, 1}, device, coefficients).time ==
        CostOf<double>(Gemm{40, 512, 256}, device, coefficients).time);
}

TEST_CASE("expected active experts equal the mean over every choice") {
  for (int experts = 1; experts <= 5; ++experts) {
    for (int per_token = 1; per_token <= experts; ++per_token) {
      for (int tokens = 1; tokens <= 3; ++tokens) {
        CAPTURE(experts);
        CAPTURE(per_token);
        CAPTURE(tokens);
        CHECK(ExpectedActiveExperts(experts, per_token, tokens) ==
              doctest::Approx(Enumerated(experts, per_token, tokens)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("expected active experts agree with drawn routings, and reach all experts") {
  std::mt19937 random(20240607);
  constexpr int kExperts = 256;
  constexpr int kPerToken = 8;
  constexpr int kDraws = 2000;
  for (const int tokens : {1, 16, 64}) {
    double hits = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<bool> hit(kExperts, false);
      std::vector<int> order(kExperts);
      for (int i = 0; i < kExperts; ++i) order[static_cast<std::size_t>(i)] = i;
      for (int token = 0; token < tokens; ++token) {
        for (std::size_t k = 0; k < kPerToken; ++k) {  // the first steps of a shuffle
          std::uniform_int_distribution<std::size_t> rest(k, kExperts - 1);
          std::swap(order[k], order[rest(random)]);
          hit[static_cast<std::size_t>(order[k])] = true;
        }
      }
      hits += static_cast<double>(std::count(hit.begin(), hit.end(), true));
    }
    CAPTURE(tokens);
    CHECK(ExpectedActiveExperts(kExperts, kPerToken, tokens) ==
          doctest::Approx(hits / kDraws).epsilon(0.005));
  }
  CHECK(ExpectedActiveExperts(8, 2, 1) == 2);
  CHECK(ExpectedActiveExperts(8, 8, 1) == 8);
  CHECK(ExpectedActiveExperts(128, 4, 100'000'000) == 128);
}

}  // namespace roofcast
