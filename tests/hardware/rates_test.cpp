// SPDX-License-Identifier: Apache-2.0
// Dense peaks against arithmetic: units x clock x FLOP a unit and cycle. A rate with structured
// sparsity, a package taken for a die or both directions of a multiply-add counted twice stand out
// as a factor of two.
#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "hardware/catalog.h"
#include "hardware/cluster.h"
#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::Sandbox;

// FLOP that one unit does in a cycle in dense products of FP16 or BF16 that accumulate in FP32.
// NVIDIA's white papers print fused multiply-adds a cycle and SM: 512 for Volta and Turing, 1024
// for GA100, 512 for GA102 and AD102 (half of it on GeForce cards), 2048 for Hopper; data-center
// Blackwell doubles that. AMD's pages on its architectures print FLOP a cycle and CU. A matrix
// engine of Gaudi multiplies 256 x 256 pairs, a TensorCore has four units of 128 x 128. CPUs count
// FP32 on their vectors: two multiply-adds of 256 or 512 bits, or four of 128.
struct Unit {
  double flop_per_cycle;
  // Clock that the printed rate implies, where the device's own clock is its maximum.
  std::optional<double> implied_mhz = std::nullopt;
  DType dtype = DType::kBf16;
};
const std::map<std::string, Unit>& Units() {
  constexpr double kVolta = 1024;
  constexpr double kGa100 = 2048;
  constexpr double kGa102 = 1024;
  constexpr double kGeForce = 512;
  constexpr double kHopper = 4096;
  constexpr double kBlackwell = 8192;
  constexpr double kTensorCore = 4 * 2 * 128 * 128;
  static const std::map<std::string, Unit> units = {
      {"v100-sxm", {kVolta, {}, DType::kFp16}},
      {"v100-pcie", {kVolta, 1367, DType::kFp16}},
      {"t4", {kVolta, {}, DType::kFp16}},
      {"a10", {kGa102}},
      {"a30", {kGa100}},
      {"a40", {kGa102}},
      {"a100-sxm", {kGa100}},
      {"a100-sxm-40gb", {kGa100}},
      {"a100-pcie", {kGa100}},
      {"a100-pcie-40gb", {kGa100}},
      {"a800-sxm", {kGa100}},
      {"rtx-a6000", {kGa102}},
      {"rtx-3090", {kGeForce}},
      {"jetson-agx-orin", {kGa100}},
      {"jetson-orin-nano", {kGa100}},
      {"l4", {kGa102, 1969}},
      {"l40s", {kGa102, 2490}},
      {"rtx-6000-ada", {kGa102}},
      {"rtx-4090", {kGeForce}},
      {"h100-sxm", {kHopper}},
      {"h100-pcie", {kHopper, 1620}},
      {"h200-sxm", {kHopper}},
      {"gh200", {kHopper}},
      {"gh200-144gb", {kHopper}},
      {"b200", {kBlackwell, 1856}},
      {"b300", {kBlackwell, 1856}},
      {"gb200", {kBlackwell, 2008}},
      {"gb300", {kBlackwell}},
      {"rtx-pro-6000-server", {kGa102}},
      {"rtx-5090", {kGeForce}},
      {"mi100", {1024, {}, DType::kFp16}},
      {"mi250x", {1024}},
      {"mi300x", {2048}},
      {"mi325x", {2048}},
      {"mi355x", {4096}},
      {"arc-pro-b60", {2048}},
      {"gaudi2", {2 * 256 * 256}},
      {"gaudi3", {2 * 256 * 256}},
      {"tpu-v4", {kTensorCore}},
      {"tpu-v5e", {kTensorCore}},
      {"tpu-v5p", {kTensorCore}},
      {"apple-m2-ultra", {256, {}, DType::kFp32}},
      {"apple-m3-max", {256, {}, DType::kFp32}},
      {"apple-m3-max-64gb", {256, {}, DType::kFp32}},
      {"apple-m4", {256, {}, DType::kFp32}},
      {"apple-m4-max", {256, {}, DType::kFp32}},
      {"epyc-9654", {32, {}, DType::kFp32}},
      {"epyc-9755", {64, {}, DType::kFp32}},
      {"xeon-8480", {1024}},
      {"xeon-6980p", {1024}},
      {"graviton4", {32, {}, DType::kFp32}},
      {"grace-cpu", {32, {}, DType::kFp32}},
      {"raspberry-pi-5", {16, {}, DType::kFp32}},
      {"gddr6-aim", {32}},
      {"cent-pim", {32}},
  };
  return units;
}

TEST_CASE("The dense peak is units x clock x FLOP a unit and cycle") {
  const Sandbox sandbox;
  std::size_t checked = 0;
  for (const CatalogName& entry : ListDevices()) {
    const Device device = LoadDevice(entry.name);
    if (!device.clock) continue;  // a cap on the rate, or a clock that nobody prints
    CAPTURE(device.name);
    REQUIRE(Units().contains(device.name));
    const Unit& unit = Units().at(device.name);
    const double listed = device.PeakOf(unit.dtype).value();
    const double per_cycle = static_cast<double>(device.compute_units) * unit.flop_per_cycle;
    const double implied_mhz = listed / per_cycle / 1e6;
    const double own_mhz = device.clock->value() / 1e6;
    CHECK(implied_mhz <= own_mhz * 1.01);
    CHECK(implied_mhz == doctest::Approx(unit.implied_mhz.value_or(own_mhz)).epsilon(0.01));
    ++checked;
  }
  CHECK(checked == Units().size());
}

double Teraflops(const char* device, DType dtype) {
  return LoadDevice(device).PeakOf(dtype).value() / 1e12;
}

TEST_CASE("Rates that are printed with sparsity are dense in the catalog") {
  const Sandbox sandbox;
  CHECK(Teraflops("a100-sxm", DType::kBf16) == doctest::Approx(312));     // not 624
  CHECK(Teraflops("h100-sxm", DType::kTf32) == doctest::Approx(494.7));   // not 989, nor 156
  CHECK(Teraflops("h100-sxm", DType::kBf16) == doctest::Approx(989.4));   // not 1979
  CHECK(Teraflops("h100-sxm", DType::kFp8) == doctest::Approx(1978.9));   // not 3958
  CHECK(Teraflops("h100-pcie", DType::kBf16) == doctest::Approx(756.5));  // not 1513
  CHECK(Teraflops("h200-sxm", DType::kBf16) == doctest::Approx(989.4));
  CHECK(Teraflops("gh200", DType::kBf16) == doctest::Approx(989.4));  // not 1979
  CHECK(Teraflops("h800-sxm", DType::kBf16) == doctest::Approx(989));
  CHECK(Teraflops("l4", DType::kBf16) == doctest::Approx(121));                     // not 242
  CHECK(Teraflops("l4", DType::kFp8) == doctest::Approx(242));                      // not 485
  CHECK(Teraflops("rtx-a6000", DType::kBf16) == doctest::Approx(154.85));           // not 309.7
  CHECK(Teraflops("rtx-pro-6000-server", DType::kBf16) == doctest::Approx(467.8));  // not 1000
  CHECK(Teraflops("jetson-orin-nano", DType::kInt8) == doctest::Approx(33.5));      // not 67
  CHECK(Teraflops("jetson-agx-orin", DType::kInt8) == doctest::Approx(85));         // not 275
  CHECK(Teraflops("gb10", DType::kFp4) == doctest::Approx(500));                    // not 1000
  CHECK(Teraflops("mi300x", DType::kFp8) == doctest::Approx(2614.9));
  CHECK(Teraflops("mi355x", DType::kFp4) == doctest::Approx(10066));    // not 20100
  CHECK(Teraflops("trainium2", DType::kFp8) == doctest::Approx(1299));  // not 2563
  CHECK(Teraflops("trainium2", DType::kBf16) == doctest::Approx(667));
}

TEST_CASE("Dense is not always half of sparse") {
  const Sandbox sandbox;
  CHECK(Teraflops("b200", DType::kFp4) == doctest::Approx(9000));
  CHECK(Teraflops("b300", DType::kFp4) == doctest::Approx(14000));  // 18000 with sparsity
  CHECK(Teraflops("gb300", DType::kFp4) == doctest::Approx(15000));
  CHECK(Teraflops("b300", DType::kInt8) < 200);  // cut on this chip
  CHECK(Teraflops("gb300", DType::kInt8) < 200);
}

TEST_CASE("GeForce cards accumulate in FP32 at half rate, professional ones at full rate") {
  const Sandbox sandbox;
  CHECK(Teraflops("rtx-3090", DType::kFp16) == doctest::Approx(71.2));   // not 142.3
  CHECK(Teraflops("rtx-4090", DType::kFp16) == doctest::Approx(165.2));  // not 330.3
  CHECK(Teraflops("rtx-4090", DType::kFp8) == doctest::Approx(330.3));   // not 660.6
  CHECK(Teraflops("rtx-5090", DType::kFp16) == doctest::Approx(209.5));  // not 419 or 838
  CHECK(Teraflops("rtx-6000-ada", DType::kFp16) == doctest::Approx(364.2));
  CHECK(Teraflops("a10", DType::kBf16) == doctest::Approx(125));
  CHECK(Teraflops("a10g", DType::kBf16) == doctest::Approx(70));  // another card
}

TEST_CASE("A device is what a program sees: a die of MI250X, a chip of TPU, a GPU of GB200") {
  const Sandbox sandbox;
  const Device die = LoadDevice("mi250x");
  CHECK(die.PeakOf(DType::kBf16).value() == doctest::Approx(191.5e12));
  CHECK(die.memory.Visible() == Bytes(64.0 * 1024 * 1024 * 1024));
  CHECK(LoadCluster("frontier-node").devices == 8);
  CHECK(LoadDevice("tpu-v7x").memory.capacity == Bytes(192.0 * 1024 * 1024 * 1024));
  CHECK(LoadCluster("gb200-nvl72").devices == 72);
}

TEST_CASE("TF32 is no FP32, and a matrix unit's FP64 is not the vectors'") {
  const Sandbox sandbox;
  const Device a100 = LoadDevice("a100-sxm");
  CHECK(a100.peak.at(DType::kTf32).value() == doctest::Approx(156e12));
  CHECK(a100.vector_peak.at(DType::kFp32).value() == doctest::Approx(19.5e12));
  CHECK(a100.peak.at(DType::kFp64).value() == doctest::Approx(19.5e12));
  CHECK(a100.vector_peak.at(DType::kFp64).value() == doctest::Approx(9.7e12));
  CHECK(!LoadDevice("mi355x").Supports(DType::kTf32));
  CHECK(Teraflops("gaudi3", DType::kFp16) == doctest::Approx(459));
  CHECK(Teraflops("gaudi3", DType::kBf16) == doctest::Approx(1677));  // 1835 on paper
}

TEST_CASE("Memory that a driver reports is not what is printed on the box") {
  const Sandbox sandbox;
  const auto mib = [](const char* name) {
    return LoadDevice(name).memory.Visible().value() / 1024 / 1024;
  };
  CHECK(mib("h100-sxm") == doctest::Approx(81559));
  CHECK(mib("h200-sxm") == doctest::Approx(143771));
  CHECK(mib("b200") == doctest::Approx(183359));
  CHECK(mib("b300") == doctest::Approx(275040));
  CHECK(mib("gb200") == doctest::Approx(189471));
  CHECK(mib("gb300") == doctest::Approx(284208));
  CHECK(mib("l40s") == doctest::Approx(46068));
  CHECK(mib("tpu-v5p") == doctest::Approx(95 * 1024));
}

}  // namespace
}  // namespace roofcast
