// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <vector>

#include "models/llm/tensors.h"
#include "models/parallelism/fused_gemm.h"
#include "models/parallelism/lower.h"

namespace roofcast {
namespace {

Collective HiddenOverTp(const Llm& llm,
                        const Plan& plan,
                        const Precision& precision,
                        const Pass& pass) {
  const bool split = pass.training && plan.sequence_parallel;
  return {split ? CollectiveKind::kReduceScatter : CollectiveKind::kAllReduce,
          Number(pass.Tokens()) * Number(llm.hidden) * BytesOf(precision.residual),
          TpGroup(plan)};
}

// The square layer of a masked-LM head, if any, and the head; none of a model without head.
std::vector<FusedGemm> HeadGemms(const Llm& llm, const Plan& plan, const Precision& precision) {
  return FusedGemms(llm, HeadTensors(llm), precision, plan.tp);
}
std::string_view NameOf(const FusedGemm& gemm) {
  return gemm.name == "head" ? "logits" : gemm.name;
}

Work Pointwise(std::string_view group,
               std::string_view name,
               Bytes traffic,
               ElementwiseKind kind,
               std::int64_t rows,
               std::int64_t cols,
               DType dtype) {
  Elementwise op{traffic, Flops(traffic.value()), kind, rows, cols};
  op.dtype = dtype;
  return {group, name, Op(op)};
}

}  // namespace

WorkList EmbeddingForward(const Llm& llm,
                          const Plan& plan,
                          const Precision& precision,
                          const Pass& pass) {
  WorkList work;
  if (llm.patch_inputs > 0) {  // every rank makes all tokens
    for (const FusedGemm& gemm : FusedGemms(llm, EmbeddingTensors(llm), precision, plan.tp)) {
      work.push_back({"embedding", gemm.name, Op(ForwardGemm(gemm, precision, pass.Tokens()))});
    }
    return work;
  }
  work.push_back(
      {"embedding", "token lookup", Op(Embedding{pass.Tokens(), llm.hidden, precision.residual})});
  if (plan.tp > 1) {
    work.push_back({"embedding", "tp reduction", HiddenOverTp(llm, plan, precision, pass)});
  }
  return work;
}

WorkList EmbeddingBackward(const Llm& llm,
                           const Plan& plan,
                           const Precision& precision,
                           const Pass& pass) {
  if (llm.patch_inputs > 0) {
    WorkList patches;
    for (const FusedGemm& gemm : FusedGemms(llm, EmbeddingTensors(llm), precision, plan.tp)) {
      const Gemm weights = WeightGradientGemm(gemm, precision, pass.Tokens());
      patches.push_back({"embedding", gemm.name, Op(weights)});
    }
    return patches;
  }
  // Rows of the gradient table are added to: read, add, write.
  const Bytes traffic =
      2 * Number(pass.Tokens()) * Number(llm.hidden) * BytesOf(precision.gradients);
  WorkList work = {Pointwise("embedding",
                             "gradient rows",
                             traffic,
                             ElementwiseKind::kPermute,
                             pass.Tokens(),
                             llm.hidden,
                             precision.gradients)};
  if (plan.tp > 1 && plan.sequence_parallel) {
    Collective gather = HiddenOverTp(llm, plan, precision, pass);
    gather.kind = CollectiveKind::kAllGather;
    work.push_back({"embedding", "tp all-gather", gather});
  }
  return work;
}

WorkList HeadForward(const Llm& llm,
                     const Plan& plan,
                     const Precision& precision,
                     const Pass& pass) {
  // Inference needs logits of each sequence's last token only; encoders hand on all tokens.
  const bool all_tokens = pass.training || !llm.causal;
  const std::int64_t rows = all_tokens ? pass.Tokens() : pass.batch;
  const std::vector<FusedGemm> gemms = HeadGemms(llm, plan, precision);
  const Bytes element = BytesOf(precision.residual);
  WorkList work;
  if (llm.has_head || llm.final_norm) {
    const double numbers = Number(rows) * Number(llm.hidden);
    work.push_back(Pointwise("head",
                             "final norm",
                             3 * numbers * element,
                             ElementwiseKind::kNorm,
                             rows,
                             llm.hidden,
                             precision.residual));
  }
  if (gemms.empty()) return work;
  if (pass.training && plan.tp > 1 && plan.sequence_parallel) {
    Collective gather = HiddenOverTp(llm, plan, precision, pass);
    gather.kind = CollectiveKind::kAllGather;
    work.push_back({"head", "tp all-gather", gather});
  }
  for (const FusedGemm& gemm : gemms) {
    work.push_back({"head", NameOf(gemm), Op(ForwardGemm(gemm, precision, rows))});
  }
  const double logits = Number(rows) * Number(gemms.back().n);
  if (pass.training) {
    // Cross-entropy: read logits, write them in fp32, read for the maximum and for the sum.
    work.push_back(Pointwise("head",
                             "loss",
                             logits * (element + Bytes(12)),
                             ElementwiseKind::kLoss,
                             rows,
                             gemms.back().n,
                             precision.residual));
  } else {
    if (plan.tp > 1) {
      work.push_back({"head",
                      "tp all-gather",
                      Collective{CollectiveKind::kAllGather,
                                 Number(rows) * Number(llm.vocabulary) * element,
                                 TpGroup(plan)}});
    }
    work.push_back(Pointwise("head",
                             "sampling",
                             Number(rows) * Number(llm.vocabulary) * Bytes(8),
                             ElementwiseKind::kSampling,
                             rows,
                             llm.vocabulary,
                             DType::kFp32));
  }
  return work;
}

WorkList HeadBackward(const Llm& llm,
                      const Plan& plan,
                      const Precision& precision,
                      const Pass& pass) {
  std::vector<FusedGemm> gemms = HeadGemms(llm, plan, precision);
  std::reverse(gemms.begin(), gemms.end());
  const std::int64_t tokens = pass.Tokens();
  const Bytes element = BytesOf(precision.residual);
  WorkList work;
  if (!gemms.empty()) {
    const double logits = Number(tokens) * Number(gemms.front().n);
    work.push_back(Pointwise("head",
                             "loss",
                             logits * (Bytes(4) + element),
                             ElementwiseKind::kLoss,
                             tokens,
                             gemms.front().n,
                             DType::kFp32));
  }
  for (const FusedGemm& gemm : gemms) {
    work.push_back({"head", NameOf(gemm), Op(InputGradientGemm(gemm, precision, tokens))});
    work.push_back({"head", NameOf(gemm), Op(WeightGradientGemm(gemm, precision, tokens))});
  }
  if (llm.has_head || llm.final_norm) {
    const double numbers = Number(tokens) * Number(llm.hidden);
    work.push_back(Pointwise("head",
                             "final norm",
                             4 * numbers * element,
                             ElementwiseKind::kNorm,
                             tokens,
                             llm.hidden,
                             precision.residual));
  }
  if (plan.tp > 1 && llm.has_head) {
    const Collective reduction = HiddenOverTp(llm, plan, precision, pass);
    work.push_back({"head", "tp reduction", reduction});
    if (plan.sequence_parallel) {  // for the weight gradient, as in the layers
      work.push_back({"head",
                      "tp all-gather",
                      Collective{CollectiveKind::kAllGather, reduction.bytes, reduction.group}});
    }
  }
  return work;
}

Collective StageTransfer(const Llm& llm,
                         const Plan& plan,
                         const Precision& precision,
                         const Pass& pass) {
  // With sequence parallelism each rank hands on its own tokens; without, ranks send the same
  // tensor side by side, each to its neighbour.
  const bool split = pass.training && plan.sequence_parallel;
  const Bytes whole = Number(pass.Tokens()) * Number(llm.hidden) * BytesOf(precision.residual);
  return {CollectiveKind::kSendReceive, split ? whole / Number(plan.tp) : whole, PpGroup(plan)};
}

}  // namespace roofcast
