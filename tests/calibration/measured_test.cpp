// SPDX-License-Identifier: Apache-2.0
// Fits to the measured tables, where they are: $ROOFCAST_DATA, or shared/data beside the checkout.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "calibration/calibrate.h"
#include "hardware/catalog.h"

namespace roofcast {
namespace {

std::optional<std::string> Measured(const std::string& name) {
  const char* variable = std::getenv("ROOFCAST_DATA");
  const std::filesystem::path data =
      variable != nullptr && *variable != '\0'
          ? std::filesystem::path(variable)
          : std::filesystem::path(ROOFCAST_SOURCE_DIR) / ".." / "shared" / "data";
  const auto file = data / "gpu_micro" / name;
  if (std::filesystem::exists(file)) return file.string();
  MESSAGE("skipped: no " << name << "; set ROOFCAST_DATA to the folder of measured data");
  return std::nullopt;
}

struct Case {
  const char* file;
  double most;  // cross-validated MAPE in percent
};

}  // namespace

TEST_CASE("Measured H100 operators are predicted as well as a four-coefficient form can") {
  const Device device = LoadDevice("h100-sxm");
  for (const Case& one : {Case{"h100_sxm_80g__gemm.csv", 15},
                          Case{"h100_sxm_80g__attention_prefill.csv", 30},
                          Case{"h100_sxm_80g__attention_decode.csv", 35}}) {
    const auto path = Measured(one.file);
    if (!path) continue;
    const Calibration calibration = Calibrate({*path}, device);
    REQUIRE(calibration.families.size() == 1);
    const FamilyReport& report = calibration.families.front();
    MESSAGE(NameOf(report.fit.family)
            << ": MAPE " << report.cross_validated.mape << " % cross-validated, "
            << report.in_sample.mape << " % in-sample, " << report.datasheet.mape
            << " % from the datasheet, " << report.rows << " rows");
    CHECK(report.cross_validated.mape < one.most);
    CHECK(report.cross_validated.mape < report.datasheet.mape);
  }
}

}  // namespace roofcast
