// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/dtype.h"
#include "core/fields.h"
#include "core/quantity.h"
#include "models/training_choices.h"

namespace roofcast {

// What a training framework keeps in memory beside what every one of them must: the `training:`
// block of an engine. The terms that these figures are factors of stand in
// models/memory/training.h.
struct TrainingRule {
  // Model states.
  std::optional<DType> weights;
  DType gradients = DType::kFp32;
  std::optional<DType> master;
  DType moments = DType::kFp32;
  Optimizer optimizer = Optimizer::kAdam;
  WorkingGradients working_gradients = WorkingGradients::kNone;
  // Buffers of communication.
  double bucket_bytes = 0;
  double gathered_whole_bytes = 0;
  double gathered_shard_bytes = 0;
  double tp_gather_bytes = 0;
  std::int64_t gathered_units = 2;
  bool pipeline_keeps_whole = false;
  // Activations.
  AttentionForm attention = AttentionForm::kFlash;
  bool dropout = false;
  Recompute recompute = Recompute::kNone;
  StageRule stages = StageRule::kEven;
  std::int64_t gated_tensors = 3;
  double norm_statistic_bytes = 0;
  std::int64_t border_tensors = 0;
  std::int64_t working_hidden_tensors = 0;
  std::int64_t working_width_tensors = 0;
  // Loss.
  double logit_bytes = 8;
  bool gathers_logits = false;
  std::optional<std::int64_t> loss_chunk;
  // What the device leaves.
  Bytes fixed;
  double allocator_factor = 1;
  std::optional<Bytes> runtime;
  double tight_share = 0;
  std::optional<TrainingPhase> logged;

  template <class V>
  static void Fields(V& v) {
    constexpr FieldRule kMayBeZero = FieldRule::kMayBeZero;
    v("weights",
      &TrainingRule::weights,
      "format that weights are kept in; left out: as multiplied");
    v("gradients", &TrainingRule::gradients, "format of the buffer that gradients are summed in");
    v("master", &TrainingRule::master, "format of the optimizer's own weights; left out: none");
    v("moments", &TrainingRule::moments, "format of the optimizer's moments, each");
    v("optimizer", &TrainingRule::optimizer, "adam, adam-8bit, adafactor, muon or sgd");
    v("working_gradients",
      &TrainingRule::working_gradients,
      "gradients in the weights' format beside the buffer: none, micro-batch or step");
    v("bucket_bytes",
      &TrainingRule::bucket_bytes,
      "bytes a parameter of data-parallel buckets, where dp > 1",
      kMayBeZero);
    v("gathered_whole_bytes",
      &TrainingRule::gathered_whole_bytes,
      "ZeRO-1 and 2, in the optimizer: bytes a parameter of the buffer weights are gathered in",
      kMayBeZero);
    v("gathered_shard_bytes",
      &TrainingRule::gathered_shard_bytes,
      "ZeRO-1 and 2, in the optimizer: bytes a parameter of the own shard that is sent",
      kMayBeZero);
    v("tp_gather_bytes",
      &TrainingRule::tp_gather_bytes,
      "bytes a token and hidden number of gather buffers that tp > 1 keeps for ever",
      kMayBeZero);
    v("gathered_units",
      &TrainingRule::gathered_units,
      "ZeRO-3: largest units whose weights are whole at once, the prefetched one included");
    v("pipeline_keeps_whole",
      &TrainingRule::pipeline_keeps_whole,
      "ZeRO-3 with pp > 1: weights and gradients stay whole through all micro-batches");
    v("attention", &TrainingRule::attention, "flash or unfused");
    v("dropout", &TrainingRule::dropout, "whether masks of dropout are kept");
    v("recompute", &TrainingRule::recompute, "what a run does unless told otherwise");
    v("stages", &TrainingRule::stages, "how layers are dealt to stages unless told otherwise");
    v("gated_tensors",
      &TrainingRule::gated_tensors,
      "tensors of the FFN's width that a gated FFN keeps: 3 with a fused activation, else 4");
    v("norm_statistic_bytes",
      &TrainingRule::norm_statistic_bytes,
      "bytes a token that a norm keeps beside its input",
      kMayBeZero);
    v("border_tensors",
      &TrainingRule::border_tensors,
      "hidden tensors that a stage keeps for each micro-batch in flight, where pp > 1",
      kMayBeZero);
    v("working_hidden_tensors",
      &TrainingRule::working_hidden_tensors,
      "whole hidden tensors alive beside the kept ones, one more where tp gathers them",
      kMayBeZero);
    v("working_width_tensors",
      &TrainingRule::working_width_tensors,
      "tensors of the FFN's width alive beside the kept ones",
      kMayBeZero);
    v("logit_bytes",
      &TrainingRule::logit_bytes,
      "bytes a logit when the loss is taken: logits, softmax and gradient that live together");
    v("gathers_logits",
      &TrainingRule::gathers_logits,
      "whether each rank of tp has the logits of the whole vocabulary");
    v("loss_chunk",
      &TrainingRule::loss_chunk,
      "tokens whose logits exist at once; left out: all of a micro-batch",
      FieldRule::kNoSource);
    v("fixed", &TrainingRule::fixed, "allocated whatever the model", kMayBeZero);
    v("allocator_factor",
      &TrainingRule::allocator_factor,
      "what the allocator reserves for tensors that come and go, over their bytes at the peak");
    v("runtime",
      &TrainingRule::runtime,
      "driver context and communicators; left out: the coefficients' memory.runtime");
    v("tight_share",
      &TrainingRule::tight_share,
      "share of the capacity below which too little is left to be sure",
      kMayBeZero);
    v("logged",
      &TrainingRule::logged,
      "phase whose allocated bytes on the first stage the framework logs as its memory");
  }
  friend bool operator==(const TrainingRule&, const TrainingRule&) = default;
};

}  // namespace roofcast
