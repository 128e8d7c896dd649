// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "calibration/tables/table.h"
#include "core/text.h"
#include "models/kernels/grouped_gemm_moe.h"

namespace roofcast {
namespace {

struct Format {
  std::string_view name;
  DType math;
  DType input;
  DType weights;
  double overhead = 1;
  std::int64_t scale_block = 0;
};
// int4_wo: groups of 128 numbers with a bf16 scale each. Formats of four bits are widened to the
// input's before they are multiplied, but for nvfp4 on units that multiply them.
constexpr std::array kFormats = {
    Format{"bf16", DType::kBf16, DType::kBf16, DType::kBf16},
    Format{"fp8", DType::kFp8, DType::kFp8, DType::kFp8},
    Format{"fp8_block", DType::kFp8, DType::kFp8, DType::kFp8, 1, 128},
    Format{"nvfp4", DType::kFp4, DType::kNvfp4, DType::kNvfp4},
    Format{"w4a16_mxfp4", DType::kBf16, DType::kBf16, DType::kMxfp4},
    Format{"w4a8_mxfp4_mxfp8", DType::kFp8, DType::kFp8, DType::kMxfp4},
    Format{"int4_wo", DType::kBf16, DType::kBf16, DType::kInt4, 1.03125},
};

bool IsBefore(std::string_view version, const std::array<std::int64_t, 3>& other) {
  const auto parts = Split(version, '.');
  for (std::size_t i = 0; i < other.size(); ++i) {
    const std::int64_t part = i < parts.size() ? ParseInteger(parts[i]).value_or(0) : 0;
    if (part != other[i]) return part < other[i];
  }
  return false;
}

// "balanced", "uniform" or "power_law_ALPHA".
void ReadRouting(TableRow& row, Routing& routing) {
  const std::string& word = row.Text("distribution");
  constexpr std::string_view kPowerLaw = "power_law_";
  if (word == "balanced") {
    routing.kind = RoutingKind::kBalanced;
  } else if (word.starts_with(kPowerLaw)) {
    const auto alpha = ParseNumber(word.substr(kPowerLaw.size()));
    if (!alpha || !(*alpha > 0) || *alpha == 1) {
      row.Complain("distribution", " has no exponent that can be used", "write power_law_1.2");
    }
    routing.kind = RoutingKind::kPowerLaw;
    routing.alpha = alpha.value_or(2);
  } else if (word != "uniform") {
    row.NotUsable("distribution " + Printable(word) + " is not known");
  }
  // These releases were measured before the generator changed: with few tokens their times are
  // those of all rows on one rank, which the later ones' are not.
  const std::string framework = row.TextOr("framework", "");
  const std::string version = row.TextOr("version", "");
  routing.remainder_to_fullest = (framework == "trtllm" && IsBefore(version, {1, 1, 0})) ||
                                 (framework == "vllm" && IsBefore(version, {0, 15, 0}));
}

// Whether experts multiply by a gate. The squared ReLU of Nemotron's has none. Collections with
// these releases and before ran them with one all the same: their times are 3/2 of the later ones.
bool IsGated(TableRow& row, const FusedMoe& op) {
  const std::string framework = row.TextOr("framework", "");
  if (framework == "trtllm") return row.TextOr("kernel", "").find("nongated") == std::string::npos;
  const bool nemotron =
      op.inter == 1856 || op.inter == 2688 || (op.inter == 5120 && op.per_token == 22);
  const bool ignored = op.routing.remainder_to_fullest ||
                       (framework == "sglang" && IsBefore(row.TextOr("version", ""), {0, 5, 12}));
  return !nemotron || ignored;
}

void Read(TableRow& row, const Device& device, MeasuredRow& out) {
  FusedMoe op;
  op.tokens = row.Size("num_tokens");
  op.hidden = row.Size("hidden");
  op.inter = row.Size("inter");
  op.per_token = row.Size("topk");
  op.experts = row.Size("num_experts");
  op.tp = row.Size("moe_tp");
  op.ep = row.Size("moe_ep");
  op.warm_weights = true;
  ReadRouting(row, op.routing);
  if (op.per_token > op.experts) row.Complain("topk", " is more than num_experts", "check both");
  if (op.experts % op.ep != 0) row.Complain("moe_ep", " does not divide num_experts", "check both");
  op.gated = IsGated(row, op);
  const std::string& name = row.Text("dtype");
  const Format* format = nullptr;
  for (const Format& known : kFormats) {
    if (known.name == name) format = &known;
  }
  if (format == nullptr || !device.Supports(format->math)) {
    row.NotUsable("dtype " + Printable(name) + " is not fitted on " + device.name);
  } else {
    op.math = format->math;
    op.input = format->input;
    op.weights = format->weights;
    op.weight_overhead = format->overhead;
    op.scale_block = format->scale_block;
  }
  out.op = op;
  out.family = GroupedGemmMoe::FamilyOf(op);
  out.format = GroupedGemmMoe::FormatOf(op);
  out.finer_key = std::to_string(op.tp) + "," + std::to_string(op.ep);
  out.key = std::to_string(op.hidden) + "," + std::to_string(op.inter) + "," +
            std::to_string(op.per_token) + "," + std::to_string(op.experts);
}

}  // namespace

TableKind MoeTable() {
  return {"moe",
          {"num_tokens",
           "hidden",
           "inter",
           "topk",
           "num_experts",
           "moe_tp",
           "moe_ep",
           "distribution",
           "dtype"},
          Read};
}

}  // namespace roofcast
