// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hardware/cluster.h"
#include "models/coefficients.h"
#include "models/engine.h"
#include "models/kernels/estimator.h"
#include "models/llm/architecture.h"
#include "models/llm/flops.h"
#include "models/llm/precision.h"
#include "models/parallelism/plan.h"
#include "models/steps/admission.h"
#include "models/steps/step_time.h"

namespace roofcast {

// What a training run sets against its engine's rule.
struct TrainingChoice {
  std::optional<Optimizer> optimizer;
  std::optional<AttentionForm> attention;
  std::optional<DType> gradients;
  std::optional<DType> moments;
  std::optional<DType> master;
  bool no_master = false;
  std::optional<std::int64_t> loss_chunk;  // tokens
};

// What the verbs share. Without a plan the smallest legal tp that fits is taken and written to
// `assumptions`.
struct Options {
  std::optional<Plan> plan;
  bool choose_tp = false;  // take all of `plan` but its tp
  PrecisionChoice precision;
  const Fit* fit = nullptr;                               // nullptr: those built in for the device
  EstimatorOptions estimator;                             // whose kernels, and which mode
  std::string flops_convention{kDefaultFlopsConvention};  // training: what MFU counts
  const Engine* engine = nullptr;  // training: whose rule; nullptr: mixed precision, no framework
  TrainingChoice training;
};

struct TrainLoad {
  std::int64_t global_batch = 0;  // sequences a step, divisible by dp * micro-batch
  std::int64_t sequence = 0;      // tokens a sequence
};
// One optimizer step: forward and backward of the whole model (embedding, layers, head, loss) by
// 1F1B, gradient reduction, optimizer. Throws ArgumentError.
StepTime PredictTrainStep(const Llm& llm,
                          const Cluster& cluster,
                          const TrainLoad& load,
                          const Options& options = {});

// The byte ledger of that step on the fullest rank; time is zero. It takes plans whose time is not
// modelled yet. Throws ArgumentError.
StepTime PredictTrainingMemory(const Llm& llm,
                               const Cluster& cluster,
                               const TrainLoad& load,
                               const Options& options = {});

struct PrefillLoad {
  std::int64_t batch = 1;
  std::int64_t input = 0;  // tokens of each prompt
};
// Time from launch to the first token of a batch of prompts, without queueing.
StepTime PredictPrefill(const Llm& llm,
                        const Cluster& cluster,
                        const PrefillLoad& load,
                        const Options& options = {});

struct DecodeLoad {
  std::int64_t batch = 1;    // sequences a replica
  std::int64_t context = 0;  // tokens cached; the step attends to one more
};
// One token for each sequence of a batch.
StepTime PredictDecode(const Llm& llm,
                       const Cluster& cluster,
                       const DecodeLoad& load,
                       const Options& options = {});

struct MemoryLoad {
  std::int64_t max_length = 0;  // tokens a sequence may reach; 0: what the config allows
  std::int64_t batch = 1;       // sequences held
  EngineChoice engine{};        // none: all that weights, workspace and runtime leave is KV cache
};
// The byte ledger of serving, KV tokens and concurrency; time is zero.
StepTime PredictMemory(const Llm& llm,
                       const Cluster& cluster,
                       const MemoryLoad& load,
                       const Options& options = {});

}  // namespace roofcast
