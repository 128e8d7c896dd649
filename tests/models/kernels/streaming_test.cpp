// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/streaming.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "hardware/catalog.h"
#include "models/kernels/gather.h"
#include "tests/models/kernels/form_gradient.h"

namespace roofcast {
namespace {

const Device& H100() {
  static const Device device = LoadDevice("h100-sxm");
  return device;
}

Elementwise Pass(std::int64_t rows, std::int64_t cols) {
  Elementwise op;
  op.rows = rows;
  op.cols = cols;
  op.traffic = 4.0 * Number(rows) * Number(cols) * Bytes(1);
  return op;
}

double Time(const Elementwise& op, const Streaming::Kernel& kernel = {}) {
  return TimeOf<Streaming>(op, H100(), kernel, PriorOf<Streaming>());
}

// Of kernels whose blocks take long.
double BlockTime(const Elementwise& op, const Streaming::Kernel& kernel) {
  auto coefficients = PriorOf<Streaming>();
  coefficients.column_cost = 1e-3;
  return TimeOf<Streaming>(op, H100(), kernel, coefficients);
}

Streaming::Kernel Blocks(bool whole_waves) {
  Streaming::Kernel kernel;
  kernel.block = 1024;
  kernel.whole_waves = whole_waves;
  return kernel;
}

}  // namespace

TEST_CASE("a small pass takes the launch and one latency") {
  const auto c = PriorOf<Streaming>();
  CHECK(Time(Pass(1, 1)) == doctest::Approx(c.intercept + c.latency).epsilon(1e-4));
}

TEST_CASE("a large pass takes its passes at the bandwidth of memory") {
  const Elementwise op = Pass(1 << 20, 8192);
  const double bandwidth = H100().memory.bandwidth.value() * 1e-6;
  CHECK(
      Time(op) ==
      doctest::Approx(PriorOf<Streaming>().passes * op.traffic.value() / bandwidth).epsilon(1e-3));
}

TEST_CASE("what the cache holds is faster, unless nothing was just touched") {
  Elementwise warm = Pass(1024, 8192);  // 34 MB in a cache of 50
  Elementwise cold = warm;
  cold.cold = true;
  CHECK(Time(warm) < 0.8 * Time(cold));
  warm = cold = Pass(1 << 17, 8192);  // 4 GB
  cold.cold = true;
  CHECK(Time(warm) == doctest::Approx(Time(cold)).epsilon(1e-6));
}

TEST_CASE("a device whose cache isn't known reads everything from memory") {
  Device device = H100();
  device.last_level_cache.reset();
  Elementwise cold = Pass(1024, 1024);
  cold.cold = true;
  CHECK(TimeOf<Streaming>(Pass(1024, 1024), device, {}, PriorOf<Streaming>()) == Time(cold));
}

TEST_CASE("a row beyond the blocks that the SMs hold begins another wave") {
  // Two blocks of 1024 threads on each of 132 SMs.
  const auto time = [](std::int64_t rows, std::int64_t cols, bool whole_waves) {
    return BlockTime(Pass(rows, cols), Blocks(whole_waves));
  };
  CHECK(time(264, 8192, true) < 1.05 * time(200, 8192, true));
  CHECK(time(265, 8192, true) > 1.5 * time(264, 8192, true));
  CHECK(time(265, 8192, false) < 1.02 * time(264, 8192, false));
  // Short rows have small blocks, of which an SM holds more.
  CHECK(time(265, 256, true) < 1.02 * time(264, 256, true));
}

TEST_CASE("the same numbers in longer rows take longer where a block walks each, and only there") {
  CHECK(BlockTime(Pass(16, 65536), Blocks(true)) > 3 * BlockTime(Pass(1024, 1024), Blocks(true)));
  CHECK(Time(Pass(16, 65536)) == Time(Pass(1024, 1024)));
}

TEST_CASE("columns in flight at once cost nothing") {
  Streaming::Kernel kernel = Blocks(false);
  kernel.at_once = 2048;
  CHECK(Time(Pass(1, 2048), kernel) < 1.01 * Time(Pass(1, 64), kernel));
  CHECK(Time(Pass(1, 8192), kernel) > 1.1 * Time(Pass(1, 2048), kernel));
}

TEST_CASE("rows that are too long to keep are read again") {
  Streaming::Kernel kernel;
  kernel.held = 1024;
  const double kept = Time(Pass(1 << 20, 1024), kernel) / 1024;
  CHECK(Time(Pass(1 << 20, 1025), kernel) / 1025 ==
        doctest::Approx(PriorOf<Streaming>().reread * kept).epsilon(0.01));
}

TEST_CASE("two launches take as long as two passes of half the traffic") {
  Elementwise both = Pass(64, 4096);
  both.launches = 2;
  CHECK(Time(both) == doctest::Approx(2 * Time(Pass(32, 4096))).epsilon(1e-12));
}

TEST_CASE("formats name the kind and the width; those that stand in come after") {
  Elementwise op = Pass(1, 1);
  op.kind = ElementwiseKind::kNorm;
  CHECK(Streaming::FormatOf(op) == "norm 16 bit");
  op.dtype = DType::kFp16;
  CHECK(Streaming::FormatOf(op) == "norm 16 bit");
  op.dtype = DType::kFp32;
  const auto formats = Streaming::FormatsFor(op);
  REQUIRE(formats.size() > 2);
  CHECK(formats[0] == "norm 32 bit");
  CHECK(formats[1] == "norm 16 bit");
  CHECK(formats[2] == "softmax 32 bit");
}

TEST_CASE(
    "every kind can be predicted where static quantisation alone, or adding alone, is fitted") {
  for (const auto& entry : EnumNames<ElementwiseKind>::kNames) {
    CAPTURE(entry.second);
    Elementwise op;
    op.kind = entry.first;
    const auto formats = Streaming::FormatsFor(op);
    for (const char* only : {"quantise 16 bit", "add 16 bit", "add 32 bit"}) {
      CHECK(std::find(formats.begin(), formats.end(), only) != formats.end());
    }
  }
}

TEST_CASE("derivatives of the streaming form are central differences") {
  auto c = PriorOf<Streaming>();
  c.cache_reach = 0.9;
  Streaming::Kernel held = Blocks(true);
  held.held = 1024;
  held.at_once = 512;
  for (const Streaming::Kernel& kernel : {Streaming::Kernel{}, Blocks(false), held}) {
    for (const auto& size : {std::pair{1, 8}, {7, 4096}, {300, 8192}, {65536, 8192}}) {
      CAPTURE(size.first);
      CheckGradient<Streaming>(Pass(size.first, size.second), H100(), kernel, c);
    }
  }
}

TEST_CASE("few tokens are gathered one after the other, many at the bandwidth of memory") {
  const auto c = PriorOf<Gather>();
  const auto time = [&](std::int64_t tokens) {
    return TimeOf<Gather>({tokens, 4096}, H100(), {}, c);
  };
  CHECK(time(16) > time(17));
  CHECK(time(9) - time(8) == doctest::Approx(c.token_cost).epsilon(0.05));
  const double bytes = 2.0 * 1e6 * 4096 * 2;
  const double bandwidth = H100().memory.bandwidth.value() * 1e-6;
  CHECK(time(1'000'000) == doctest::Approx(c.passes * bytes / bandwidth).epsilon(1e-2));
}

TEST_CASE("derivatives of the gather form are central differences") {
  for (const std::int64_t tokens : {1, 16, 17, 2000, 100'000}) {
    CAPTURE(tokens);
    CheckGradient<Gather>({tokens, 8192}, H100(), {}, PriorOf<Gather>());
  }
}

}  // namespace roofcast
