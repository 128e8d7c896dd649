// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include "calibration/dominated_rows.h"
#include "calibration/read_rows.h"
#include "calibration/series_fit.h"
#include "core/error.h"
#include "hardware/catalog.h"

namespace roofcast {
namespace {

const std::string kHeader =
    "gpu,source,framework,version,kernel,dtype,num_tokens,hidden,inter,topk,num_experts,moe_tp,"
    "moe_ep,distribution,latency_us\n";

std::shared_ptr<const Device> H100() {
  static const auto device = std::make_shared<const Device>(LoadDevice("h100-sxm"));
  return device;
}

MeasuredRows Read(const std::string& lines) {
  MeasuredRows rows;
  ReadRows(kHeader + lines, "made-up.csv", H100(), rows);
  return rows;
}
FusedMoe OpOf(const std::string& line) {
  const MeasuredRows rows = Read(line + "\n");
  REQUIRE(rows.rows.size() == 1);
  return std::get<FusedMoe>(rows.rows.front().op);
}
std::string Row(const std::string& version, const std::string& distribution) {
  return "h100_sxm,made up,vllm," + version + ",vllm_triton,bf16,64,2688,1856,6,128,2,8," +
         distribution + ",100";
}

std::string Measured(const std::string& name) {
  const char* variable = std::getenv("ROOFCAST_DATA");
  const std::filesystem::path data =
      variable != nullptr && *variable != '\0'
          ? std::filesystem::path(variable)
          : std::filesystem::path(ROOFCAST_SOURCE_DIR) / ".." / "shared" / "data";
  const auto file = data / "gpu_micro" / name;
  if (std::filesystem::exists(file)) return file.string();
  MESSAGE("skipped: no " << name << "; set ROOFCAST_DATA to the folder of measured data");
  return "";
}

}  // namespace

TEST_CASE("a row of experts is read with its routing, split and gate") {
  const FusedMoe op = OpOf(Row("0.24.0", "power_law_1.2"));
  CHECK(op.tokens == 64);
  CHECK(op.experts == 128);
  CHECK(op.tp == 2);
  CHECK(op.ep == 8);
  CHECK(op.warm_weights);
  CHECK(!op.gated);  // experts of this width have no gate
  CHECK(op.routing == Routing{.kind = RoutingKind::kPowerLaw, .alpha = 1.2});
  // Before, the same label meant another generator, and these experts were run with a gate.
  const FusedMoe older = OpOf(Row("0.14.0", "power_law_1.2"));
  CHECK(older.gated);
  CHECK(older.routing.remainder_to_fullest);
  CHECK(OpOf(Row("0.24.0", "balanced")).routing.kind == RoutingKind::kBalanced);
  CHECK(OpOf(Row("0.24.0", "uniform")).routing.kind == RoutingKind::kUniform);
}

TEST_CASE("experts that can't be dealt out or routed are refused or counted") {
  CHECK_THROWS_AS(Read("h100_sxm,,vllm,1,k,bf16,1,64,64,9,8,1,1,balanced,10\n"), SpecError);
  CHECK_THROWS_AS(Read("h100_sxm,,vllm,1,k,bf16,1,64,64,2,8,1,3,balanced,10\n"), SpecError);
  CHECK_THROWS_AS(Read(Row("1", "power_law_1") + "\n"), SpecError);
  CHECK_THROWS_AS(Read(Row("1", "power_law_") + "\n"), SpecError);
  const MeasuredRows rows = Read(Row("1", "by hand") + "\n");
  CHECK(rows.rows.empty());
  CHECK(rows.skipped.at("distribution by hand is not known") == 1);
}

TEST_CASE("a row is proven random by a larger job that ran much faster, and by nothing else") {
  const std::string start = "h100_sxm,,trtllm,1.3,cutlass,bf16,";
  const auto mark = [&](const std::string& first, const std::string& second) {
    const MeasuredRows rows = Read(start + first + "\n" + start + second + "\n");
    return MarkDominated(rows.rows);
  };
  const std::string slow = "64,4096,1024,8,256,4,2,balanced,1000";
  using Marks = std::vector<bool>;
  CHECK(mark(slow, "128,4096,1024,8,256,4,2,balanced,500") == Marks{true, false});
  CHECK(mark(slow, "64,4096,1024,8,256,2,2,balanced,500") == Marks{true, false});
  CHECK(mark(slow, "64,4096,1024,8,256,4,1,balanced,500") == Marks{true, false});
  // Not fast enough, a smaller job, other experts.
  CHECK(mark(slow, "128,4096,1024,8,256,4,2,balanced,600") == Marks{false, false});
  CHECK(mark(slow, "32,4096,1024,8,256,4,2,balanced,500") == Marks{false, false});
  CHECK(mark(slow, "128,4096,1024,8,256,8,2,balanced,500") == Marks{false, false});
  CHECK(mark(slow, "128,4096,1024,8,128,4,2,balanced,500") == Marks{false, false});
}

TEST_CASE("a small series is fitted with its kin, a large one alone") {
  std::string lines;
  for (int tokens = 1; tokens <= 70; ++tokens) {
    lines += "h100_sxm,,vllm,1,vllm_triton,bf16," + std::to_string(tokens) +
             ",4096,1024,8,256,1,8,balanced," + std::to_string(600 + tokens) + "\n";
  }
  lines += "h100_sxm,,sglang,1,sglang_triton,bf16,8,4096,1024,8,256,1,8,balanced,600\n";
  lines += "h100_sxm,,sglang,1,sglang_marlin,int4_wo,8,4096,1024,8,256,1,8,balanced,600\n";
  const MeasuredRows rows = Read(lines);
  for (const Series& series : DealSeries(rows.rows)) {
    CAPTURE(series.Name());
    const bool small = series.rows.size() == 1 && series.kernel == "triton";
    CHECK(series.kin.size() == (small ? 71 : 0));
  }
}

TEST_CASE("measured experts of H100 are predicted for models that the fit has not seen") {
  const std::string file = Measured("h100_sxm_80g__moe.csv");
  if (file.empty()) return;
  MeasuredRows rows;
  LoadRows(file, H100(), rows);
  for (const Series& series : DealSeries(rows.rows)) {
    // The one of the most models without rows that chance decided.
    if (series.Name() != "moe fp8_block trtllm cutlass") continue;
    const SeriesFit fit = FitSeries(series);
    CHECK(SummariseResiduals(fit.in_sample).mape < 8);
    CHECK(SummariseResiduals(fit.held_out).mape < 10);
    CHECK(SummariseResiduals(fit.held_out_roofline).mape > 15);
  }
}

}  // namespace roofcast
