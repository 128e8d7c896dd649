// SPDX-License-Identifier: Apache-2.0
#include "calibration/calibrate.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "calibration/fit_file.h"
#include "calibration/report.h"
#include "core/error.h"
#include "models/kernels/bound_series.h"
#include "models/kernels/tiled_gemm.h"
#include "tests/calibration/synthetic.h"

namespace roofcast {
namespace {

using testing::kTruth;
using testing::SyntheticGemms;

// A folder of its own for each test, removed at the end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "roofcast_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string Path(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void CheckRefused(const MeasuredRows& rows, const std::string& message) {
  CHECK_THROWS_WITH_AS(Calibrate(rows, LoadDevice("h100-sxm")), message.c_str(), ArgumentError);
}

// Noisy products, fitted once for all tests.
const Calibration& Fitted() {
  static const Calibration calibration =
      Calibrate(SyntheticGemms(kTruth, {0.05, 1}), LoadDevice("h100-sxm"));
  return calibration;
}

}  // namespace

TEST_CASE("Too little data is refused, and said of which series") {
  MeasuredRows few = SyntheticGemms(kTruth);
  few.rows.resize(19);
  CheckRefused(few,
               "nothing can be fitted: 19 rows skipped (19: gemm bf16: only 19 rows of 3 shapes; a "
               "fit needs 20 rows of 4 shapes); check --device and the data");
  MeasuredRows none;
  none.skipped = {{"no m", 3}, {"no k", 1}};
  CheckRefused(none,
               "nothing can be fitted: 4 rows skipped (3: no m, 1: no k); check --device and the "
               "data");
  CHECK_THROWS_WITH_AS(Calibrate(std::vector<std::string>{}, LoadDevice("h100-sxm")),
                       "no data; name at least one CSV file",
                       ArgumentError);
  CalibrateOptions options;
  options.families = {"gem"};
  CHECK_THROWS_WITH_AS(Calibrate(SyntheticGemms(kTruth), LoadDevice("h100-sxm"), options),
                       doctest::Contains("family 'gem' can't be fitted; there are "),
                       ArgumentError);
}

TEST_CASE("A fit beats the datasheet, and its errors stand beside the baselines") {
  const Calibration& calibration = Fitted();
  REQUIRE(calibration.series.size() == 1);
  const SeriesReport& report = calibration.series.front();
  CHECK(report.measured.size() == 160);
  CHECK(report.distinct_keys == 20);
  const double held_out = SummariseResiduals(report.fit.Best()).mape;
  CHECK(held_out < 8);
  CHECK(held_out < SummariseResiduals(report.fit.datasheet).mape);
  const Json json = ToJson(calibration);
  CHECK(json["schema"] == "roofcast/1");
  CHECK(json["verb"] == "calibrate");
  CHECK(json["series"][0]["errors"]["analytical"]["mape"] ==
        SummariseResiduals(report.fit.held_out).mape);
  CHECK(FormatCalibration(calibration).find("this form, cross-validated") != std::string::npos);
}

TEST_CASE("The same data gives the same fit, with any number of threads") {
  CalibrateOptions one;
  one.threads = 1;
  const MeasuredRows rows = SyntheticGemms(kTruth, {0.05, 1});
  CHECK(FormatFit(Calibrate(rows, LoadDevice("h100-sxm"), one), "2026-01-02") ==
        FormatFit(Fitted(), "2026-01-02"));
}

TEST_CASE("A written fit reads back and predicts what was fitted") {
  const Folder folder;
  SaveFit(Fitted(), "2026-01-02", folder.Path("h100.yaml"));
  const Fit fit = LoadFit(folder.Path("h100.yaml"));
  CHECK(fit.name == "h100-sxm");
  CHECK(fit.device == "h100-sxm");
  REQUIRE(fit.series.size() == 1);
  const SeriesReport& report = Fitted().series.front();
  const auto bound = BoundSeries::Bind(fit.series.front(), "vllm", report.fit.IsCorrected());
  const MeasuredRows rows = SyntheticGemms(kTruth, {0.05, 1});
  for (std::size_t i = 0; i < rows.rows.size(); i += 7) {
    const double fitted = rows.rows[i].time * std::exp(-report.fit.in_sample[i]);
    const SeriesEstimate estimate = bound->EstimateOf(rows.rows[i].op, *rows.rows[i].device);
    const double correction =
        bound->is_corrected()
            ? std::exp(report.fit.field.At(TiledGemm::SizesOf(std::get<Gemm>(rows.rows[i].op))))
            : 1;
    CHECK(estimate.cost.time == doctest::Approx(fitted * correction).epsilon(2e-3));
    CHECK(estimate.cost.time == bound->TimeOf(rows.rows[i].op, *rows.rows[i].device));
    CHECK(estimate.beyond.empty());
    CHECK(estimate.deviation > 0);
    CHECK(estimate.deviation < 0.2);
  }

  CHECK_FALSE(fit.IsAssumed());
  const Source& source = fit.sources.at("series[0].rows");
  CHECK(source.kind == SourceKind::kFitted);
  REQUIRE(source.own != nullptr);
  CHECK(source.own->title ==
        "Fit of gemm bf16 on NVIDIA H100 SXM5 80GB HBM3 to 160 measured rows of 20 shapes");
  CHECK(source.own->note.starts_with("data synthetic.csv; fitted 2026-01-02 by roofcast "));
  CHECK(fit.series.front().data_hash == report.data_hash);
  CHECK(fit.series.front().range.at("m").high == 16384);
  // What was not fitted says so.
  CHECK(fit.sources.at("coefficients.decode_attention.intercept").kind == SourceKind::kAssumed);
}

TEST_CASE("A fit file whose numbers don't belong to its series is refused with the line") {
  const std::string text = FormatFit(Fitted(), "2026-01-02");
  const auto line = std::count(text.begin(), text.end(), '\n');
  CHECK_THROWS_WITH_AS(
      ReadFit(text + "- covariance: 1\n", "x.yaml"),
      doctest::Contains(
          ("x.yaml:" + std::to_string(line + 1) + ":1: more entries than the 1 series").c_str()),
      SpecError);
  const std::string without = text.substr(0, text.find("\n---\n") + 5);
  CHECK_THROWS_WITH_AS(
      ReadFit(without, "x.yaml"), doctest::Contains("entries for 0 of 1 series"), SpecError);
  CHECK_THROWS_WITH_AS(
      ReadFit(text + "rubbish\n", "x.yaml"), doctest::Contains("'rubbish' is not"), SpecError);
}

TEST_CASE("A fit that can't be written is a failure, and leaves nothing behind") {
  const Folder folder;
  CHECK_THROWS_AS(SaveFit(Fitted(), "2026-01-02", folder.Path("")), std::runtime_error);
  CHECK_THROWS_AS(SaveFit(Fitted(), "2026-01-02", folder.Path("no/such.yaml")), std::runtime_error);
  CHECK(std::filesystem::is_empty(folder.Path("")));
  std::filesystem::create_symlink("nowhere", folder.Path("link"));
  CHECK_THROWS_AS(SaveFit(Fitted(), "2026-01-02", folder.Path("link")), std::runtime_error);
  std::ofstream(folder.Path("nowhere")) << "old";
  SaveFit(Fitted(), "2026-01-02", folder.Path("link"));
  CHECK(std::filesystem::is_symlink(folder.Path("link")));
  CHECK(LoadFit(folder.Path("nowhere")).name == "h100-sxm");
}

TEST_CASE("A file named twice is refused, whatever its spelling") {
  const Folder folder;
  std::ofstream(folder.Path("a.csv")) << "m,n,k,dtype,latency_us\n1,2,3,bf16,4\n";
  CHECK_THROWS_AS(Calibrate({folder.Path("a.csv"), folder.Path("./a.csv")}, LoadDevice("h100-sxm")),
                  ArgumentError);
}

TEST_CASE("Pooling judges a device by its sibling's fit, and widens by what that showed") {
  MeasuredRows rows = SyntheticGemms(kTruth, {0.03, 1});
  const MeasuredRows sibling = SyntheticGemms(kTruth, {0.03, 1, 2, "h200-sxm"});
  testing::Truth slower = kTruth;
  slower.compute_efficiency = 0.6;
  const MeasuredRows other = SyntheticGemms(slower, {0.03, 1, 3, "a100-sxm"});
  rows.rows.insert(rows.rows.end(), sibling.rows.begin(), sibling.rows.end());
  rows.rows.insert(rows.rows.end(), other.rows.begin(), other.rows.end());
  const Calibration pooled = Calibrate(rows, std::nullopt);
  CHECK(pooled.name == "pooled");
  REQUIRE(pooled.siblings.size() == 2);  // each Hopper by the other; Ampere has nobody
  for (const SiblingError& error : pooled.siblings) {
    CHECK(error.family == "gemm");
    CHECK(error.errors.rows == 160);
    CHECK(error.errors.mape < 10);
  }
  const Fit fit = ToFit(pooled, "2026-01-02");
  CHECK_FALSE(fit.device);
  CHECK(fit.transfer.at("gemm").sibling >= 0.03);
}

}  // namespace roofcast
