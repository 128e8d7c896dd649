// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "calibration/read_rows.h"
#include "calibration/series_fit.h"
#include "hardware/catalog.h"
#include "models/kernels/streaming.h"

namespace roofcast {
namespace {

MeasuredRows Read(const std::string& text, const Device& device) {
  MeasuredRows rows;
  ReadRows(text, "made-up.csv", std::make_shared<const Device>(device), rows);
  return rows;
}

std::string VidurRow(const std::string& model,
                     const std::string& op,
                     std::int64_t tokens,
                     std::int64_t tp,
                     double time) {
  return model + "," + op + ",fp16," + std::to_string(tokens) + "," + std::to_string(tp) +
         ",4096,11008,32,8," + std::to_string(time) + "\n";
}
const std::string kVidurHeader =
    "model,op,dtype,num_tokens,tp,n_embd,n_expanded,n_head,n_kv_head,latency_us\n";

Streaming::Coefficients<double> Truth() {
  Streaming::Coefficients<double> c;
  auto set = [&](std::string_view, auto member, std::string_view, FitRange range, auto&&...) {
    c.*member = range.prior;
  };
  Streaming::Coefficients<double>::Fields(set);
  c.intercept = 1.4;
  c.passes = 1.25;
  c.cache_cost = 2.4;
  return c;
}

// Adds of 1 to 4096 tokens, as the form has them, rounded to `resolution` microseconds.
MeasuredRows MadeUpAdds(const Device& device, double resolution) {
  std::string text = kVidurHeader;
  for (std::int64_t tokens = 1; tokens <= 4096; tokens += 1 + tokens / 12) {
    Elementwise op;
    op.rows = tokens;
    op.cols = 4096;
    op.traffic = Bytes(3.0 * Number(tokens) * 4096 * 2);
    const auto features = Streaming::Prepare(op, device, {});
    const double exact = Streaming::TimeOf<double>(features, Truth()).time;
    text += VidurRow("llama", "add", tokens, 1, std::round(exact / resolution) * resolution);
  }
  return Read(text, device);
}

double Fitted(const SeriesFit& fit, std::string_view name) {
  for (std::size_t i = 0; i < fit.infos.size(); ++i) {
    if (fit.infos[i].name == name) return std::exp(fit.parameters[i]);
  }
  FAIL("no coefficient " << name);
  return 0;
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

TEST_CASE("times rounded to a microsecond give back the coefficients they were made with") {
  const Device device = LoadDevice("h100-sxm");
  const MeasuredRows rows = MadeUpAdds(device, 1);
  const auto series = DealSeries(rows.rows);
  REQUIRE(series.size() == 1);
  const SeriesFit fit = FitSeries(series.front());
  const Streaming::Coefficients<double> truth = Truth();
  CHECK(Fitted(fit, "passes") == doctest::Approx(truth.passes).epsilon(0.03));
  CHECK(Fitted(fit, "cache_cost") == doctest::Approx(truth.cache_cost).epsilon(0.06));
  // Launch and latency are told apart by what they are next to a pass; their sum is what counts.
  CHECK(Fitted(fit, "intercept") + Fitted(fit, "latency") ==
        doctest::Approx(truth.intercept + truth.latency).epsilon(0.1));
}

TEST_CASE("a rounded time counts less the shorter it is") {
  const Device device = LoadDevice("h100-sxm");
  MeasuredRows rows = MadeUpAdds(device, 0.001);
  const auto shortest = [&] {
    const auto series = DealSeries(rows.rows);
    const SeriesFit fit = FitSeries(series.front());
    return Fitted(fit, "intercept") + Fitted(fit, "latency");
  };
  // The shortest rows are a third of a microsecond too long.
  for (MeasuredRow& row : rows.rows) {
    if (row.time < 2) row.time += 0.3;
  }
  const double as_rounded = shortest();
  for (MeasuredRow& row : rows.rows) row.resolution = 0;
  const double as_exact = shortest();
  CHECK(as_rounded < as_exact);
}

TEST_CASE("Vidur's operators become passes with the tensors its kernels touch") {
  const Device device = LoadDevice("a100-sxm");
  std::string text = kVidurHeader;
  for (const char* op :
       {"input_layernorm", "post_attention_layernorm", "mlp_act", "add", "attn_rope", "emb"}) {
    text += VidurRow("llama", op, 10, 4, 3);
  }
  text += VidurRow("microsoft/phi-2", "mlp_act", 10, 4, 3);
  text += VidurRow("microsoft/phi-2", "add", 10, 4, 3);
  text += VidurRow("llama", "attn_pre_proj", 10, 4, 3);
  const MeasuredRows read = Read(text, device);
  REQUIRE(read.rows.size() == 8);
  CHECK(read.skipped.at("op attn_pre_proj is not known") == 1);
  const auto op = [&](std::size_t i) { return std::get<Elementwise>(read.rows[i].op); };
  CHECK(read.rows[0].format == "norm 16 bit");
  CHECK(op(1).traffic.value() == 2 * 10 * 4096 * 2);
  CHECK(read.rows[2].format == "gated activation 16 bit");
  CHECK(op(2).traffic.value() == 3 * 10 * 2752 * 2);
  CHECK(op(3).traffic.value() == 3 * 10 * 4096 * 2);
  CHECK(op(4).cols == 10 * 128);
  CHECK(std::get<Embedding>(read.rows[5].op).width == 4096);
  CHECK(read.rows[6].format == "activation 16 bit");
  CHECK(op(7).launches == 2);
  CHECK(read.rows[7].resolution == 1);
}

TEST_CASE("H100's quantise kernels are predicted as well as their study was, by cross-validation") {
  const std::string file = Measured("h100_sxm_80g__elementwise.csv");
  if (file.empty()) return;
  const Device device = LoadDevice("h100-sxm");
  MeasuredRows rows;
  LoadRows(file, std::make_shared<const Device>(device), rows);
  const std::map<std::string, double> most = {{"sglang", 2.7}, {"trtllm", 2.4}, {"vllm", 3.2}};
  for (const Series& series : DealSeries(rows.rows)) {
    CAPTURE(series.framework);
    const SeriesFit fit = FitSeries(series);
    CHECK(SummariseResiduals(fit.held_out).mape < most.at(series.framework));
  }
}

}  // namespace roofcast
