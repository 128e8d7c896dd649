// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/tiled_gemm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hardware/catalog.h"
#include "models/kernels/tiled_gemm_search.h"
#include "tests/models/kernels/form_cases.h"

namespace roofcast {
namespace {

using Fitted = TiledGemm::Coefficients<double>;

const Device& H100() {
  static const Device device = LoadDevice("h100-sxm");
  return device;
}

Gemm Product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Gemm op;
  op.m = m;
  op.n = n;
  op.k = k;
  return op;
}

Gemm Fp8Product(std::int64_t m, std::int64_t n, std::int64_t k) {
  Gemm op = Product(m, n, k);
  op.math = op.input = op.weights = DType::kFp8;
  return op;
}

Fitted AtPriors() {
  Fitted c;
  auto set = [&](std::string_view, auto member, std::string_view, FitRange range, auto&&...) {
    c.*member = range.prior;
  };
  Fitted::Fields(set);
  return c;
}

double TimeOf(const Gemm& op,
              const Fitted& c,
              const TiledGemm::Kernel& kernel = {},
              const Device& device = H100()) {
  return TiledGemm::TimeOf<double>(TiledGemm::Prepare(op, device, kernel), c).time;
}

internal::Choices ChoicesOf(const Gemm& op, const Fitted& c) {
  const auto features = TiledGemm::Prepare(op, H100(), {});
  internal::Choices choices;
  internal::FindChoices(features, internal::ShareOf<double>(features, c), c, choices);
  return choices;
}

}  // namespace

TEST_CASE("derivatives of tiled_gemm are central differences") {
  std::vector<Gemm> shapes = {Product(1, 1, 1),
                              Product(1, 8192, 8192),
                              Product(17, 129, 6144),
                              Product(300, 4096, 14'336),
                              Product(4096, 4096, 4096),
                              Product(32'768, 51'200, 8192)};
  Gemm cached = Product(16, 2048, 2048);
  cached.weight_copies = 5;
  Gemm quantised = Fp8Product(700, 4096, 4096);
  quantised.quantises_input = true;
  shapes.push_back(cached);
  shapes.push_back(quantised);
  for (const Gemm& op : shapes) {
    CAPTURE(op.m);
    CAPTURE(op.n);
    testing::CheckDerivatives<TiledGemm>(TiledGemm::Prepare(op, H100(), {}));
    testing::CheckDerivatives<TiledGemm>(TiledGemm::Prepare(op, LoadDevice("b200"), {}));
    testing::CheckDerivatives<TiledGemm>(
        TiledGemm::Prepare(op, H100(), {.tiles = 5, .splits = false}));
  }
}

TEST_CASE("a product of one tile and one part of k takes one block, of all tiles their count") {
  const Fitted c = AtPriors();
  for (const Gemm& op : {Product(4096, 4096, 4096), Product(300, 1000, 2048), Product(1, 64, 64)}) {
    const auto choices = ChoicesOf(op, c);
    REQUIRE(choices.count > 0);
    for (int i = 0; i < choices.count; ++i) {
      const auto& j = choices.list[static_cast<std::size_t>(i)];
      const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
      const auto parts = static_cast<std::int64_t>(j.split);
      CHECK(j.blocks == Number(up(op.m, j.tile->rows) * up(op.n, j.tile->columns) * parts));
      CHECK(j.steps == Number(up(op.k, 64 * parts)));
    }
  }
}

TEST_CASE("pruning drops no candidate that has a weight") {
  // Against every tile and split costed by itself.
  const Fitted c = AtPriors();
  for (const Gemm& op :
       {Product(1, 8192, 8192), Product(64, 4096, 14'336), Product(5000, 640, 640)}) {
    const auto f = TiledGemm::Prepare(op, H100(), {});
    const auto shared = internal::ShareOf<double>(f, c);
    std::vector<double> times;
    for (const GemmTile& tile : f.tiles) {
      if (!IsOffered(tile, op.m, op.n)) continue;
      const double blocks = std::ceil(Number(op.m) / Number(tile.rows)) *
                            std::ceil(Number(op.n) / Number(tile.columns));
      for (const std::int64_t split : SplitsOfK()) {
        const double by = Number(split);
        if (split > 1 && (f.k < 128 * by || blocks * by > 4 * f.rates.units)) break;
        const internal::Candidate j = {&tile, by, blocks * by, std::ceil(f.k / (64 * by)), 0};
        const double step = internal::StepOf<double>(f, shared, c.feeding, tile);
        const auto terms = internal::TermsOf<double>(f, shared, c.wave_rounding, j, step);
        times.push_back(c.intercept * 1700 / f.rates.clock + terms.extra +
                        internal::Combine(terms.compute, terms.cache, shared.dram, c.overlap));
      }
    }
    const double best = *std::min_element(times.begin(), times.end());
    double sum = 0;
    double weights = 0;
    for (const double time : times) {
      const double weight = std::pow(std::max(0.0, 1 - (time / best - 1) / internal::kWindow), 4);
      sum += weight * time;
      weights += weight;
    }
    CHECK(TimeOf(op, c) == doctest::Approx(sum / weights).epsilon(1e-9));
  }
}

TEST_CASE("a large product runs at the ceiling of its tile, a tiny one takes the launch") {
  Fitted c = AtPriors();
  c.droop = 1e-9;
  const Gemm large = Product(32'768, 32'768, 16'384);
  const double peak = WorkOf(large).value() / RateOf(H100(), DType::kBf16);
  const double shape = 256.0 * 128 / (256 + 128);
  const double ceiling = peak * (shape + c.feeding) / shape / c.compute_efficiency;
  CHECK(TimeOf(large, c) > ceiling);
  CHECK(TimeOf(large, c) < 1.1 * ceiling);
  const double launch = c.intercept * 1700 / DeviceRates::Of(H100()).clock;
  CHECK(TimeOf(Product(1, 16, 16), c) > launch);
  CHECK(TimeOf(Product(1, 16, 16), c) < launch + 2);
}

TEST_CASE("a product of twice the size takes no less, but for the mean over candidates") {
  const Fitted c = AtPriors();
  for (const std::int64_t m : {1, 16, 100, 512, 3000, 16'384}) {
    for (const std::int64_t n : {64, 1024, 6000, 28'672}) {
      for (const std::int64_t k : {64, 1024, 8192}) {
        const double time = TimeOf(Product(m, n, k), c);
        CAPTURE(m);
        CAPTURE(n);
        CAPTURE(k);
        CHECK(TimeOf(Product(2 * m, n, k), c) >= 0.999 * time);
        CHECK(TimeOf(Product(m, 2 * n, k), c) >= 0.999 * time);
        CHECK(TimeOf(Product(m, n, 2 * k), c) >= 0.999 * time);
        CHECK(time >= WorkOf(Product(m, n, k)).value() / RateOf(H100(), DType::kBf16));
      }
    }
  }
}

TEST_CASE("splitting k helps few blocks with a long k, and nobody else") {
  const Fitted c = AtPriors();
  const TiledGemm::Kernel whole = {.splits = false};
  CHECK(TimeOf(Product(16, 128, 16'384), c) < 0.5 * TimeOf(Product(16, 128, 16'384), c, whole));
  CHECK(TimeOf(Product(8192, 8192, 8192), c) == TimeOf(Product(8192, 8192, 8192), c, whole));
}

TEST_CASE("weights that come back soon are faster where the cache holds all of their copies") {
  const Fitted c = AtPriors();
  const auto with = [&](std::int64_t copies, std::int64_t n) {
    Gemm op = Product(8, n, 2048);
    op.weight_copies = copies;
    return TimeOf(op, c);
  };
  CHECK(with(1, 4096) < 0.9 * with(0, 4096));
  CHECK(with(5, 4096) > with(1, 4096));
  CHECK(with(5, 65'536) == doctest::Approx(with(0, 65'536)).epsilon(0.01));
}

TEST_CASE("a library that follows a rule runs the tile that the rule names") {
  const auto count = [](GemmTiles tiles, std::int64_t m, std::int64_t n) {
    int offered = 0;
    for (const GemmTile& tile : TilesOf(tiles)) offered += IsOffered(tile, m, n) ? 1 : 0;
    return offered;
  };
  for (const std::int64_t m : {1, 16, 17, 64, 65, 128, 129, 8191, 100'000}) {
    for (const std::int64_t n : {1, 1280, 1281, 100'000}) {
      CHECK(count(GemmTiles::kVllmHopper, m, n) == (m >= 8192 ? 2 : 1));
      CHECK(count(GemmTiles::kSglangHopper, m, n) == 1);
    }
  }
  // 513 rows in tiles of 128: two waves where 512 take one.
  const TiledGemm::Kernel rule = {.tiles = 6, .splits = false};
  Fitted c = AtPriors();
  c.wave_rounding = 1;
  CHECK(TimeOf(Fp8Product(513, 4096, 4096), c, rule) >
        1.5 * TimeOf(Fp8Product(512, 4096, 4096), c, rule));
}

TEST_CASE("the word for a product's formats tells apart what is fitted apart") {
  Gemm op = Product(1, 1, 1);
  CHECK(FormatOf(op) == "bf16");
  op.weights = DType::kInt4;
  CHECK(FormatOf(op) == "int4_wo");
  op = Fp8Product(1, 1, 1);
  CHECK(FormatOf(op) == "fp8");
  op.scale_columns = 128;
  CHECK(FormatOf(op) == "fp8_block");
  op.math = op.input = op.weights = DType::kFp4;
  op.scale_columns = 16;
  CHECK(FormatOf(op) == "nvfp4");
  op.scale_columns = 32;
  CHECK(FormatOf(op) == "mxfp4");
  op.math = op.input = op.weights = DType::kInt8;
  CHECK(FormatOf(op) == "int8_sq");
}

}  // namespace roofcast
