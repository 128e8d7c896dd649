// SPDX-License-Identifier: Apache-2.0
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

FusedGemm HeadGemm(const Llm& llm, const Plan& plan, const Precision& precision) {
  return FusedGemms(llm, HeadTensors(llm), precision, plan.tp).front();
}

Work Pointwise(std::string_view group, std::string_view name, Bytes traffic) {
  return {group, name, Op(Elementwise{traffic, Flops(traffic.value())})};
}

}  // namespace

WorkList EmbeddingForward(const Llm& llm,
                          const Plan& plan,
                          const Precision& precision,
                          const Pass& pass) {
  WorkList work = {
      {"embedding", "token lookup", Op(Embedding{pass.Tokens(), llm.hidden, precision.residual})}};
  if (plan.tp > 1) {
    work.push_back({"embedding", "tp reduction", HiddenOverTp(llm, plan, precision, pass)});
  }
  return work;
}

WorkList EmbeddingBackward(const Llm& llm,
                           const Plan& plan,
                           const Precision& precision,
                           const Pass& pass) {
  // Rows of the gradient table are added to: read, add, write.
  const Bytes traffic =
      2 * Number(pass.Tokens()) * Number(llm.hidden) * BytesOf(precision.gradients);
  WorkList work = {Pointwise("embedding", "gradient rows", traffic)};
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
  // Inference needs logits of each sequence's last token only.
  const std::int64_t rows = pass.training ? pass.Tokens() : pass.batch;
  const FusedGemm gemm = HeadGemm(llm, plan, precision);
  const Bytes element = BytesOf(precision.residual);
  const double logits = Number(rows) * Number(gemm.n);
  WorkList work = {
      Pointwise("head", "final norm", 3 * Number(rows) * Number(llm.hidden) * element)};
  if (pass.training && plan.tp > 1 && plan.sequence_parallel) {
    Collective gather = HiddenOverTp(llm, plan, precision, pass);
    gather.kind = CollectiveKind::kAllGather;
    work.push_back({"head", "tp all-gather", gather});
  }
  work.push_back({"head", "logits", Op(ForwardGemm(gemm, precision, rows))});
  if (pass.training) {
    // Cross-entropy: read logits, write them in fp32, read for the maximum and for the sum.
    work.push_back(Pointwise("head", "loss", logits * (element + Bytes(12))));
  } else {
    if (plan.tp > 1) {
      work.push_back({"head",
                      "tp all-gather",
                      Collective{CollectiveKind::kAllGather,
                                 Number(rows) * Number(llm.vocabulary) * element,
                                 TpGroup(plan)}});
    }
    work.push_back(Pointwise("head", "sampling", Number(rows) * Number(llm.vocabulary) * Bytes(8)));
  }
  return work;
}

WorkList HeadBackward(const Llm& llm,
                      const Plan& plan,
                      const Precision& precision,
                      const Pass& pass) {
  const FusedGemm gemm = HeadGemm(llm, plan, precision);
  const std::int64_t tokens = pass.Tokens();
  const Bytes element = BytesOf(precision.residual);
  const double logits = Number(tokens) * Number(gemm.n);
  WorkList work = {
      Pointwise("head", "loss", logits * (Bytes(4) + element)),
      {"head", "logits", Op(InputGradientGemm(gemm, precision, tokens))},
      {"head", "logits", Op(WeightGradientGemm(gemm, precision, tokens))},
      Pointwise("head", "final norm", 4 * Number(tokens) * Number(llm.hidden) * element),
  };
  if (plan.tp > 1) {
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
