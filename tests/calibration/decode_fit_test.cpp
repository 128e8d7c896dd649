// SPDX-License-Identifier: Apache-2.0
// Fits of decode attention to the measured tables, where they are: $ROOFCAST_DATA, or shared/data
// beside the checkout.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "calibration/read_rows.h"
#include "calibration/series_fit.h"
#include "hardware/catalog.h"

namespace roofcast {
namespace {

// One framework's series of a table; without rows when the table is missing.
Series MeasuredSeries(const std::string& name,
                      const Device& device,
                      const std::string& framework,
                      MeasuredRows& rows) {
  const char* variable = std::getenv("ROOFCAST_DATA");
  const std::filesystem::path data =
      variable != nullptr && *variable != '\0'
          ? std::filesystem::path(variable)
          : std::filesystem::path(ROOFCAST_SOURCE_DIR) / ".." / "shared" / "data";
  const auto file = data / "gpu_micro" / name;
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: no " << name << "; set ROOFCAST_DATA to the folder of measured data");
    return {};
  }
  LoadRows(file.string(), std::make_shared<const Device>(device), rows);
  for (Series& series : DealSeries(rows.rows)) {
    if (series.framework == framework) return std::move(series);
  }
  return {};
}

}  // namespace

TEST_CASE("Decode of unseen heads by FlashAttention 2 on an A100 is predicted within 6 %") {
  const Device device = LoadDevice("a100-sxm");
  MeasuredRows rows;
  const Series series = MeasuredSeries("a100_sxm_80g__attention_decode.csv", device, "vllm", rows);
  if (series.rows.empty()) return;
  const SeriesFit fit = FitSeries(series);
  CHECK(SummariseResiduals(fit.held_out).mape < 6);
  CHECK(SummariseResiduals(fit.in_sample).mape < SummariseResiduals(fit.held_out).mape);
}

}  // namespace roofcast
