// SPDX-License-Identifier: Apache-2.0
#include "calibration/calibrate.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "calibration/cross_validation.h"
#include "calibration/fit_file.h"
#include "calibration/report.h"
#include "core/error.h"
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

void CheckRefused(Dataset dataset, const std::string& message) {
  CHECK_THROWS_WITH_AS(
      Calibrate(std::move(dataset), LoadDevice("h100-sxm")), message.c_str(), ArgumentError);
}

}  // namespace

TEST_CASE("Too little data is refused") {
  const Device device = LoadDevice("h100-sxm");
  Dataset few = SyntheticGemms(device, kTruth);
  few.samples.resize(19);
  CheckRefused(
      few,
      "gemm: only 19 usable rows of 3 shapes; a fit needs at least 20 rows of 5 shapes, so "
      "add data");
  Dataset narrow = SyntheticGemms(device, kTruth);
  narrow.samples.resize(32);
  CheckRefused(
      narrow,
      "gemm: only 32 usable rows of 4 shapes; a fit needs at least 20 rows of 5 shapes, so "
      "add data");
  Dataset none;
  none.skipped = {{"dtype fp8", 3}, {"no k", 1}};
  CheckRefused(none,
               "no row can be used: 4 rows skipped (3: dtype fp8, 1: no k); check --device and the "
               "data");
  CHECK_THROWS_WITH_AS(Calibrate(std::vector<std::string>{}, device),
                       "no data; name at least one CSV file",
                       ArgumentError);
}

TEST_CASE("A fit beats what it started from, and its errors stand beside the baselines") {
  const Device device = LoadDevice("h100-sxm");
  const Calibration calibration = Calibrate(SyntheticGemms(device, kTruth, 0.05), device);
  REQUIRE(calibration.families.size() == 1);
  const FamilyReport& report = calibration.families.front();
  CHECK(report.rows == 160);
  CHECK(report.keys == 20);
  CHECK(report.in_sample.mape < 5);
  CHECK(report.in_sample.mape < report.cross_validated.mape);
  CHECK(report.cross_validated.mape < 5);
  CHECK(report.cross_validated.mape < report.assumed.mape);
  CHECK(report.assumed.mape < report.datasheet.mape);
  const Json json = ToJson(calibration);
  CHECK(json["schema"] == "roofcast/1");
  CHECK(json["verb"] == "calibrate");
  CHECK(json["families"][0]["errors"]["cross_validated"]["mape"] == report.cross_validated.mape);
  CHECK(json["families"][0]["coefficients"]["intercept_s"]["status"] == "fitted");
  CHECK(FormatCalibration(calibration).find("this fit, cross-validated") != std::string::npos);
}

TEST_CASE("The same data gives the same fit, in any order of rows") {
  const Device device = LoadDevice("h100-sxm");
  const Dataset dataset = SyntheticGemms(device, kTruth, 0.05);
  const Calibration calibration = Calibrate(dataset, device);
  CHECK(FormatFit(calibration, "2026-01-02") ==
        FormatFit(Calibrate(dataset, device), "2026-01-02"));
  Dataset reversed = dataset;
  std::reverse(reversed.samples.begin(), reversed.samples.end());
  const FamilyFit other = Calibrate(reversed, device).families.front().fit;
  const ParameterValues one = ValuesOf(calibration.families.front().fit.coefficients);
  for (std::size_t i = 0; i < kParameters; ++i) {
    CHECK(ValuesOf(other.coefficients)[i] == doctest::Approx(one[i]).epsilon(1e-4));
  }
}

TEST_CASE("A written fit reads back and predicts the same") {
  const Device device = LoadDevice("h100-sxm");
  const Calibration calibration = Calibrate(SyntheticGemms(device, kTruth, 0.05), device);
  const Folder folder;
  SaveFit(calibration, "2026-01-02", folder.Path("h100.yaml"));
  const Fit fit = LoadFit(folder.Path("h100.yaml"));
  const FamilyFit& made = calibration.families.front().fit;
  CHECK(ValuesOf(fit.coefficients.gemm) == ValuesOf(made.coefficients));
  for (const std::int64_t m : {1, 100, 10000}) {
    Gemm op;
    op.m = m;
    op.n = op.k = 4096;
    Coefficients<double> direct = calibration.assumed.coefficients;
    direct.gemm = made.coefficients;
    CHECK(CostOf<double>(op, device, fit.coefficients).time ==
          CostOf<double>(op, device, direct).time);
  }

  CHECK_FALSE(fit.IsAssumed());
  const Source& source = fit.sources.at("coefficients.gemm.compute_efficiency");
  CHECK(source.kind == SourceKind::kFitted);
  CHECK(source.note.starts_with("standard error 0.00"));
  REQUIRE(source.own != nullptr);
  CHECK(source.own->title ==
        "Fit of gemm on NVIDIA H100 SXM5 80GB HBM3 to 160 measured rows of 20 shapes");
  const std::string& note = source.own->note;
  CHECK(note.starts_with("data synthetic.csv, sha256 of its sorted rows " +
                         calibration.families.front().data_hash + "; ranges m 1..16384"));
  CHECK(note.find("fitted 2026-01-02 by roofcast ") != std::string::npos);
  // What was not fitted says so.
  const Source& other = fit.sources.at("coefficients.decode_attention.intercept");
  CHECK(other.kind == SourceKind::kAssumed);
  CHECK(ValuesOf(fit.coefficients.decode_attention) ==
        ValuesOf(LoadFit().coefficients.decode_attention));
}

TEST_CASE("A fit that can't be written is a failure, and leaves nothing behind") {
  const Device device = LoadDevice("h100-sxm");
  const Calibration calibration = Calibrate(SyntheticGemms(device, kTruth), device);
  const Folder folder;
  CHECK_THROWS_AS(SaveFit(calibration, "2026-01-02", folder.Path("")), std::runtime_error);
  CHECK_THROWS_AS(SaveFit(calibration, "2026-01-02", folder.Path("no/such.yaml")),
                  std::runtime_error);
  CHECK(std::filesystem::is_empty(folder.Path("")));
  std::filesystem::create_symlink("nowhere", folder.Path("link"));
  CHECK_THROWS_AS(SaveFit(calibration, "2026-01-02", folder.Path("link")), std::runtime_error);
  std::ofstream(folder.Path("nowhere")) << "old";
  SaveFit(calibration, "2026-01-02", folder.Path("link"));
  CHECK(std::filesystem::is_symlink(folder.Path("link")));
  CHECK(LoadFit(folder.Path("nowhere")).name == "h100-sxm");
}

TEST_CASE("A file named twice is refused, whatever its spelling") {
  const Folder folder;
  std::ofstream(folder.Path("a.csv")) << "m,n,k,dtype,latency_us\n1,2,3,bf16,4\n";
  CHECK_THROWS_AS(Calibrate({folder.Path("a.csv"), folder.Path("./a.csv")}, LoadDevice("h100-sxm")),
                  ArgumentError);
}

}  // namespace roofcast
