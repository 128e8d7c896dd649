// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "core/fields.h"

// What a training run chooses beside its degrees; plans and engines spell these words alike.
namespace roofcast {

// Activations that are worked out again in backward instead of kept.
enum class Recompute : std::uint8_t {
  kNone,
  kSelective,  // the core of attention: its scores, where they are kept at all [korthikanti2022]
  kFull,       // all but the input of each layer
};
template <>
struct EnumNames<Recompute> {
  static constexpr std::array<std::pair<Recompute, std::string_view>, 3> kNames = {{
      {Recompute::kNone, "none"},
      {Recompute::kSelective, "selective"},
      {Recompute::kFull, "full"},
  }};
};

// How layers are dealt to pipeline stages. By cost, a layer costs 4 h heads head_dim + 3 h width
// and the head h V; a stage takes layers until the running sum comes to its share of the total.
enum class StageRule : std::uint8_t {
  kEven,           // as many on each as can be
  kByCost,         // until the sum reaches the share (nanotron since its pipeline fix)
  kByCostPassing,  // until it passes it: a tie gives the earlier stage one layer more (before)
};
template <>
struct EnumNames<StageRule> {
  static constexpr std::array<std::pair<StageRule, std::string_view>, 3> kNames = {{
      {StageRule::kEven, "even"},
      {StageRule::kByCost, "by-cost"},
      {StageRule::kByCostPassing, "by-cost-passing"},
  }};
};

enum class AttentionForm : std::uint8_t {
  kFlash,    // no score matrix; the log-sum-exp of each row is kept
  kUnfused,  // scores and probabilities are tensors of heads x sequence x sequence
};
template <>
struct EnumNames<AttentionForm> {
  static constexpr std::array<std::pair<AttentionForm, std::string_view>, 2> kNames = {{
      {AttentionForm::kFlash, "flash"},
      {AttentionForm::kUnfused, "unfused"},
  }};
};

enum class Optimizer : std::uint8_t {
  kAdam,       // two moments
  kAdam8Bit,   // two moments in a byte each, with one fp32 scale a block of 256 [dettmers2021]
  kAdafactor,  // a row and a column of second moments a matrix, no first one [shazeer2018]
  kMuon,       // one momentum a matrix of the layers, Adam for the rest [jordan2024muon]
  kSgd,        // one momentum
};
template <>
struct EnumNames<Optimizer> {
  static constexpr std::array<std::pair<Optimizer, std::string_view>, 5> kNames = {{
      {Optimizer::kAdam, "adam"},
      {Optimizer::kAdam8Bit, "adam-8bit"},
      {Optimizer::kAdafactor, "adafactor"},
      {Optimizer::kMuon, "muon"},
      {Optimizer::kSgd, "sgd"},
  }};
};

// Gradients in the weights' own format, beside the buffer that they are summed in.
enum class WorkingGradients : std::uint8_t {
  kNone,        // matrix products add to the buffer
  kMicroBatch,  // all of a micro-batch's, dropped when they have been added
  kStep,        // kept from one step to the next
};
template <>
struct EnumNames<WorkingGradients> {
  static constexpr std::array<std::pair<WorkingGradients, std::string_view>, 3> kNames = {{
      {WorkingGradients::kNone, "none"},
      {WorkingGradients::kMicroBatch, "micro-batch"},
      {WorkingGradients::kStep, "step"},
  }};
};

// Parts of a step between which memory differs.
enum class TrainingPhase : std::uint8_t {
  kForward,    // the loss is taken: every micro-batch in flight keeps its activations
  kBackward,   // the end of a backward: one micro-batch less, gradients in the weights' format
  kOptimizer,  // no activations; buffers of gathered weights
};
template <>
struct EnumNames<TrainingPhase> {
  static constexpr std::array<std::pair<TrainingPhase, std::string_view>, 3> kNames = {{
      {TrainingPhase::kForward, "forward"},
      {TrainingPhase::kBackward, "backward"},
      {TrainingPhase::kOptimizer, "optimizer"},
  }};
};

}  // namespace roofcast
