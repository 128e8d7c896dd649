// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/argument_names.h"

#include <algorithm>
#include <array>

#include "models/llm/config_keys.h"

namespace roofcast::internal {
namespace {

using std::string_view_literals::operator""sv;

// Arguments of megatron/training/arguments.py whose names have a word of a shape, and that leave
// every shape alone: batches, parallelism, files, logging, dropout, losses, fused kernels.
constexpr std::array kHarmless = {
    "accumulate-allreduce-grads-in-fp32"sv,
    "apply-layernorm-1p"sv,
    "bert-no-binary-head"sv,
    "bias-dropout-fusion"sv,
    "bias-gelu-fusion"sv,
    "bias-swiglu-fusion"sv,
    "check-weight-hash-across-dp-replicas-interval"sv,
    "context-parallel-size"sv,
    "cross-entropy-fusion-impl"sv,
    "cross-entropy-loss-fusion"sv,
    "data-parallel-random-init"sv,
    "data-parallel-sharding-strategy"sv,
    "ddp-bucket-size"sv,
    "ddp-num-buckets"sv,
    "decoder-first-pipeline-num-layers"sv,
    "decoder-last-pipeline-num-layers"sv,
    "empty-unused-memory-level"sv,
    "eval-interval"sv,
    "exit-interval"sv,
    "expert-model-parallel-size"sv,
    "expert-tensor-parallel-size"sv,
    "first-last-layers-bf16"sv,
    "fp8-interval"sv,
    "global-batch-size"sv,
    "hidden-dropout"sv,
    "hierarchical-context-parallel-sizes"sv,
    "high-priority-stream-groups"sv,
    "log-batch-size-to-tensorboard"sv,
    "log-interval"sv,
    "log-memory-interval"sv,
    "log-num-zeros-in-grad"sv,
    "log-params-norm"sv,
    "log-world-size-to-tensorboard"sv,
    "manual-gc-interval"sv,
    "micro-batch-size"sv,
    "moe-aux-loss-coeff"sv,
    "moe-deepep-num-sms"sv,
    "moe-enable-deepep"sv,
    "moe-expert-capacity-factor"sv,
    "moe-extended-tp"sv,
    "moe-grouped-gemm"sv,
    "moe-input-jitter-eps"sv,
    "moe-layer-recompute"sv,
    "moe-pad-expert-input-to-capacity"sv,
    "moe-per-layer-logging"sv,
    "moe-permute-fusion"sv,
    "moe-router-bias-update-rate"sv,
    "moe-router-dtype"sv,
    "moe-router-force-load-balancing"sv,
    "moe-router-fusion"sv,
    "moe-router-group-topk"sv,
    "moe-router-load-balancing-type"sv,
    "moe-router-num-groups"sv,
    "moe-router-padding-for-fp8"sv,
    "moe-router-pre-softmax"sv,
    "moe-router-score-function"sv,
    "moe-router-topk-limited-devices"sv,
    "moe-router-topk-scaling-factor"sv,
    "moe-shared-expert-overlap"sv,
    "moe-token-dispatcher-type"sv,
    "moe-token-drop-policy"sv,
    "moe-use-legacy-grouped-gemm"sv,
    "moe-z-loss-coeff"sv,
    "nccl-communicator-config-path"sv,
    "no-bias-dropout-fusion"sv,
    "no-bias-gelu-fusion"sv,
    "no-bias-swiglu-fusion"sv,
    "no-persist-layer-norm"sv,
    "norm-epsilon"sv,
    "num-dataset-builder-threads"sv,
    "num-distributed-optimizer-instances"sv,
    "num-layers-at-end-in-bf16"sv,
    "num-layers-at-start-in-bf16"sv,
    "num-layers-per-virtual-pipeline-stage"sv,
    "num-virtual-stages-per-pipeline-rank"sv,
    "num-workers"sv,
    "overlap-moe-expert-parallel-comm"sv,
    "pipeline-model-parallel-layout"sv,
    "pipeline-model-parallel-size"sv,
    "profile-step-end"sv,
    "profile-step-start"sv,
    "rampup-batch-size"sv,
    "recompute-num-layers"sv,
    "save-interval"sv,
    "sequence-parallel"sv,
    "tensor-model-parallel-size"sv,
    "tensorboard-log-interval"sv,
    "tensorboard-queue-size"sv,
    "tiktoken-num-special-tokens"sv,
    "tiktoken-pattern"sv,
    "tokenizer-model"sv,
    "use-mcore-models"sv,
    "use-megatron-fsdp"sv,
    "vocab-file"sv,
};

}  // namespace

bool ArgumentIsHarmless(std::string_view name) {
  return std::find(kHarmless.begin(), kHarmless.end(), name) != kHarmless.end();
}

bool ArgumentMayShape(std::string_view name) {
  return !ArgumentIsHarmless(name) && MayShapeTheModel(name);
}

}  // namespace roofcast::internal
