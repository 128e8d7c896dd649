// SPDX-License-Identifier: Apache-2.0
#include "models/steps/training_memory.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "models/parallelism/stages.h"

namespace roofcast {
namespace {

StateSharding ShardingOf(const Plan& plan) {
  return {plan.zero,
          Number(ShardRanks(plan)),
          Number(ExpertShardRanks(plan)),
          plan.dp * plan.cp > 1,
          plan.pp > 1};
}

ActivationShape ShapeOf(const Plan& plan,
                        const TrainingRule& rule,
                        const TrainingMemoryLoad& load) {
  ActivationShape shape;
  shape.batch = plan.micro_batch;
  shape.sequence = load.sequence;
  shape.tp = plan.tp;
  shape.cp = plan.cp;
  shape.moe_tp = MoeTpOf(plan);
  shape.sequence_parallel = plan.sequence_parallel;
  shape.recompute = plan.recompute;
  shape.attention = rule.attention;
  shape.dropout = rule.dropout;
  shape.gated_tensors = rule.gated_tensors;
  shape.norm_statistic_bytes = rule.norm_statistic_bytes;
  return shape;
}

// The ranks of one stage: what they hold all the time is worked out once, what comes and goes for
// each phase.
class StageMemory {
 public:
  StageMemory(const Llm& llm,
              const Plan& plan,
              const Precision& precision,
              const TrainingRule& rule,
              const TrainingMemoryLoad& load,
              std::int64_t stage)
      : llm_(llm),
        plan_(plan),
        precision_(precision),
        rule_(rule),
        shares_(SharesOf(llm, plan, stage)),
        sharding_(ShardingOf(plan)),
        shape_(ShapeOf(plan, rule, load)),
        live_(LiveForwards(plan.pp, plan.vpp, stage, load.micro_batches)),
        states_(BytesNode("device memory", Bytes(0))) {
    states_.Add(TrainedWeightsLedger(llm, shares_, precision, rule, sharding_));
    states_.Add(GradientLedger(llm, shares_, precision, rule, sharding_));
    states_.Add(OptimizerLedger(llm, shares_, rule, sharding_));
    if (rule.fixed > Bytes(0)) states_.Add(BytesNode("fixed allocations", rule.fixed));
  }

  // What the tensors take in a phase.
  Node Allocated(TrainingPhase phase) const {
    Node ledger = states_;
    AddSome(ledger, ActivationsIn(phase));
    if (phase != TrainingPhase::kOptimizer) {
      AddSome(ledger,
              BytesNode(std::string(kWorkingTensors),
                        WorkingTensors(llm_, shares_, rule_, shape_, precision_)));
    }
    AddSome(ledger,
            CommunicationLedger(llm_, shares_, precision_, rule_, sharding_, shape_, phase));
    // Kept through a pipeline, they are there when the next micro-batch's loss is taken.
    const bool keeps = phase == TrainingPhase::kForward && sharding_.KeepsWhole(rule_);
    if (phase == TrainingPhase::kBackward || keeps) {
      AddSome(ledger,
              BytesNode(std::string(kMicroBatchGradients),
                        OneMicroBatchOfGradients(llm_, shares_, precision_, rule_, sharding_)));
    }
    return ledger;
  }

  // The whole of it as the device sees it. What is allocated once and stays leaves no gaps; what
  // comes and goes does.
  Node Taken(Node allocated) const {
    AddSome(allocated,
            BytesNode("allocator margin", Transient(allocated) * (rule_.allocator_factor - 1)));
    AddSome(allocated, BytesNode("runtime", rule_.runtime.value_or(Bytes(0))));
    return allocated;
  }

  // Of what is allocated: tensors that come and go within a step.
  static Bytes Transient(const Node& allocated) {
    Bytes bytes;
    for (const std::string_view name : {kActivations, kWorkingTensors, kMicroBatchGradients}) {
      if (const Node* child = FindChild(allocated, name)) bytes += child->bytes;
    }
    return bytes;
  }

 private:
  static constexpr std::string_view kActivations = "activations";
  static constexpr std::string_view kWorkingTensors = "working tensors";
  static constexpr std::string_view kMicroBatchGradients = "gradients of a micro-batch";

  static void AddSome(Node& ledger, Node child) {
    if (child.bytes > Bytes(0)) ledger.Add(std::move(child));
  }

  Bytes HiddenTensor() const {
    return shape_.Tokens() * (Number(llm_.hidden) / shape_.HiddenRanks()) *
           BytesOf(precision_.residual);
  }

  Bytes LayersOfShare(const RankShare& share) const {
    Bytes bytes;
    const std::vector<std::int64_t> layers = llm_.KindCounts(share.first_layer, share.last_layer);
    for (std::size_t kind = 0; kind < layers.size(); ++kind) {
      if (layers[kind] == 0) continue;
      bytes +=
          Number(layers[kind]) * ActivationsOfLayer(llm_, llm_.kinds[kind], shape_, precision_);
    }
    return bytes;
  }

  // What backward works out again of one layer, the largest of the rank.
  Bytes RecomputedLayer() const {
    ActivationShape whole = shape_;
    whole.recompute = Recompute::kNone;
    Bytes largest;
    for (const RankShare& share : shares_) {
      const std::vector<std::int64_t> layers = llm_.KindCounts(share.first_layer, share.last_layer);
      for (std::size_t kind = 0; kind < layers.size(); ++kind) {
        if (layers[kind] == 0) continue;
        largest = std::max(largest, ActivationsOfLayer(llm_, llm_.kinds[kind], whole, precision_));
      }
    }
    return largest;
  }

  // Selective recompute has one layer's core of attention back while it runs backward through it.
  std::string RecomputedName() const {
    return plan_.recompute == Recompute::kFull ? "recomputed layer" : "recomputed attention";
  }
  Bytes Recomputed() const {
    if (plan_.recompute == Recompute::kNone) return Bytes(0);
    const Bytes whole = RecomputedLayer();
    if (plan_.recompute == Recompute::kFull) return whole;
    Bytes kept;
    for (const RankShare& share : shares_) {
      for (std::int64_t i = share.first_layer; i < share.last_layer; ++i) {
        kept = std::max(kept, ActivationsOfLayer(llm_, llm_.LayerAt(i), shape_, precision_));
      }
    }
    return whole - kept;
  }

  Node ActivationsIn(TrainingPhase phase) const {
    Node node = BytesNode(std::string(kActivations), Bytes(0));
    if (phase == TrainingPhase::kOptimizer) return node;
    Bytes layers;
    std::int64_t count = 0;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      // At the end of a backward its own forward, of the last chunk that ran, is gone.
      const bool ends = phase == TrainingPhase::kBackward && i + 1 == shares_.size();
      const std::int64_t live = std::max<std::int64_t>(0, live_[i] - (ends ? 1 : 0));
      layers += Number(live) * LayersOfShare(shares_[i]);
      count += live;
    }
    const std::string unit = plan_.vpp > 1 ? "chunk" : "micro-batch";
    AddSome(node,
            BytesNode(std::to_string(count) + " " + unit +
                          (count == 1      ? ""
                           : plan_.vpp > 1 ? "s"
                                           : "es"),
                      layers));
    if (plan_.pp > 1) {
      AddSome(node,
              BytesNode("stage borders", Number(count * rule_.border_tensors) * HiddenTensor()));
    }
    AddSome(node, BytesNode(RecomputedName(), Recomputed()));
    if (shares_.back().head && phase == TrainingPhase::kForward) {
      const double inputs = llm_.final_norm ? 2 : 1;
      AddSome(node, BytesNode("inputs of the head", inputs * HiddenTensor()));
      AddSome(node, BytesNode("logits", LossBytes(llm_, rule_, shape_)));
    }
    return node;
  }

  const Llm& llm_;
  const Plan& plan_;
  const Precision& precision_;
  const TrainingRule& rule_;
  RankShares shares_;
  StateSharding sharding_;
  ActivationShape shape_;
  std::vector<std::int64_t> live_;
  Node states_;
};

constexpr std::array kPhases = {
    TrainingPhase::kForward, TrainingPhase::kBackward, TrainingPhase::kOptimizer};

}  // namespace

RankShares SharesOf(const Llm& llm, const Plan& plan, std::int64_t stage) {
  const std::vector<StageLayers> chunks = ChunksOf(llm, plan);
  RankShares shares;
  for (std::size_t i = static_cast<std::size_t>(stage); i < chunks.size();
       i += static_cast<std::size_t>(plan.pp)) {
    shares.push_back({plan.tp,
                      chunks[i].first,
                      chunks[i].last,
                      i == 0,
                      i + 1 == chunks.size(),
                      plan.ep,
                      MoeTpOf(plan)});
  }
  return shares;
}

TrainingMemory PeakTrainingMemory(const Llm& llm,
                                  const Plan& plan,
                                  const Precision& precision,
                                  const TrainingRule& rule,
                                  const TrainingMemoryLoad& load) {
  TrainingMemory memory;
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    const StageMemory ranks(llm, plan, precision, rule, load, stage);
    Node fullest;
    StagePeak peak;
    for (const TrainingPhase phase : kPhases) {
      Node allocated = ranks.Allocated(phase);
      if (stage == 0 && rule.logged == phase) memory.logged = allocated.bytes;
      const StagePeak now{
          stage, phase, Bytes(0), allocated.bytes, StageMemory::Transient(allocated)};
      Node taken = ranks.Taken(std::move(allocated));
      if (!(taken.bytes > fullest.bytes)) continue;
      peak = now;
      fullest = std::move(taken);
    }
    peak.bytes = fullest.bytes;
    if (stage == 0 || fullest.bytes > memory.ledger.bytes) {
      memory.ledger = std::move(fullest);
      memory.stage = stage;
      memory.phase = peak.phase;
    }
    memory.stages.push_back(peak);
  }
  return memory;
}

MemoryVerdict VerdictOf(Bytes needed, Bytes capacity, double tight_share) {
  if (needed > capacity) return MemoryVerdict::kOutOfMemory;
  return needed > capacity * (1 - tight_share) ? MemoryVerdict::kTight : MemoryVerdict::kFits;
}

void ReportTrainingMemory(const Llm& llm,
                          const Cluster& cluster,
                          const Precision& precision,
                          const TrainingRule& rule,
                          const TrainingMemoryLoad& load,
                          StepTime& step) {
  TrainingMemory peak = PeakTrainingMemory(llm, step.plan, precision, rule, load);
  MemoryReport& memory = step.memory;
  memory.parameters = CountParameters(llm);
  memory.capacity = cluster.device.memory.Visible();
  memory.bytes = std::move(peak.ledger);
  memory.rank_stage = peak.stage;
  memory.phase = peak.phase;
  memory.stages = std::move(peak.stages);
  memory.logged = peak.logged;
  memory.headroom = memory.capacity - memory.bytes.bytes;
  memory.verdict = VerdictOf(memory.bytes.bytes, memory.capacity, rule.tight_share);
  step.fits = memory.verdict != MemoryVerdict::kOutOfMemory;
  if (step.fits) return;
  step.why.push_back(
      "does not fit, " + FormatGib(-memory.headroom) + " over on each rank of stage " +
      std::to_string(memory.rank_stage) + ": needs " + FormatGib(memory.bytes.bytes) + " of " +
      FormatGib(memory.capacity) + " in the " + std::string(NameOf(peak.phase)) + " phase");
}

}  // namespace roofcast
