// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"
#include "models/llm/flops.h"
#include "models/memory/ledger.h"
#include "models/parallelism/schedule.h"
#include "models/parallelism/stages.h"
#include "models/steps/compose.h"
#include "models/steps/memory_report.h"
#include "models/steps/predict.h"
#include "models/steps/settle.h"
#include "models/steps/training.h"

namespace roofcast {
namespace {

// Forward and backward of one micro-batch on one pipeline stage.
struct StageNodes {
  Node forward;
  Node backward;  // recomputed forward included
};

class TrainStep {
 public:
  TrainStep(const Llm& llm,
            const Cluster& cluster,
            const Plan& plan,
            const Precision& precision,
            std::int64_t sequence,
            Estimator& estimator)
      : llm_(llm),
        cluster_(cluster),
        plan_(plan),
        precision_(precision),
        estimator_(estimator),
        pass_{plan.micro_batch, sequence, sequence, true} {}

  Node Compose(std::int64_t micro_batches) const {
    const std::vector<StageNodes> stages = Stages();
    std::vector<StageCost> costs;
    costs.reserve(stages.size());
    for (const StageNodes& stage : stages) {
      costs.push_back({stage.forward.time, stage.backward.time});
    }
    Node transfer;
    if (plan_.pp > 1) {
      transfer = CollectiveNode("pipeline send/receive",
                                StageTransfer(llm_, plan_, precision_, pass_),
                                cluster_,
                                estimator_);
    }
    const ScheduleResult schedule = OneForwardOneBackward(costs, micro_batches, transfer.time);
    Node step = TellApart(stages, costs, schedule);
    if (schedule.transfers > 0) step.Add(transfer.Repeated(schedule.transfers));
    AddGradientReduction(step);
    AddOptimizer(step);
    return step;
  }

 private:
  WorkList LayerWork(std::size_t kind, bool backward) const {
    const Layer& layer = llm_.kinds[kind];
    return backward ? LayerBackward(llm_, layer, plan_, precision_, pass_)
                    : LayerForward(llm_, layer, plan_, precision_, pass_);
  }
  Node Compose(const WorkList& work) const { return ComposeWork("", work, cluster_, estimator_); }

  std::vector<StageNodes> Stages() const {
    std::vector<Node> forward;
    std::vector<Node> backward;
    for (std::size_t kind = 0; kind < llm_.kinds.size(); ++kind) {
      forward.push_back(Compose(LayerWork(kind, false)));
      backward.push_back(Compose(LayerWork(kind, true)));
    }
    std::vector<StageNodes> stages(static_cast<std::size_t>(plan_.pp));
    for (std::int64_t s = 0; s < plan_.pp; ++s) {
      StageNodes& stage = stages[static_cast<std::size_t>(s)];
      const StageLayers layers = LayersOf(llm_, plan_, s);
      const std::vector<std::int64_t> count = llm_.KindCounts(layers.first, layers.last);
      Node recomputed;
      recomputed.name = "recomputed forward";
      for (std::size_t kind = 0; kind < count.size(); ++kind) {
        if (count[kind] == 0) continue;
        Merge(stage.forward, forward[kind], count[kind]);
        Merge(stage.backward, backward[kind], count[kind]);
        if (plan_.recompute == Recompute::kFull) Merge(recomputed, forward[kind], count[kind]);
      }
      if (!recomputed.children.empty()) stage.backward.Add(std::move(recomputed));
      if (s == 0) {
        Merge(stage.forward, Compose(EmbeddingForward(llm_, plan_, precision_, pass_)), 1);
        Merge(stage.backward, Compose(EmbeddingBackward(llm_, plan_, precision_, pass_)), 1);
      }
      if (s == plan_.pp - 1) {
        Merge(stage.forward, Compose(HeadForward(llm_, plan_, precision_, pass_)), 1);
        Merge(stage.backward, Compose(HeadBackward(llm_, plan_, precision_, pass_)), 1);
      }
    }
    return stages;
  }

  // The slowest stage's own work is the step's forward and backward; what the critical path spends
  // on other stages while it fills and drains is the bubble.
  Node TellApart(const std::vector<StageNodes>& stages,
                 const std::vector<StageCost>& costs,
                 const ScheduleResult& schedule) const {
    const auto slowest =
        std::max_element(costs.begin(), costs.end(), [](const StageCost& a, const StageCost& b) {
          return a.forward + a.backward < b.forward + b.backward;
        });
    const auto own = static_cast<std::size_t>(slowest - costs.begin());
    Node forward = Named("forward");
    Node backward = Named("backward");
    Node bubble = Named("pipeline bubble");
    Node bubble_forward = Named("forward of other stages");
    Node bubble_backward = Named("backward of other stages");
    for (std::size_t s = 0; s < stages.size(); ++s) {
      Merge(s == own ? forward : bubble_forward, stages[s].forward, schedule.forwards[s]);
      Merge(s == own ? backward : bubble_backward, stages[s].backward, schedule.backwards[s]);
    }
    Node step = Named("predict train");
    step.Add(std::move(forward));
    step.Add(std::move(backward));
    if (stages.size() > 1) {
      bubble.Add(std::move(bubble_forward));
      bubble.Add(std::move(bubble_backward));
      step.Add(std::move(bubble));
    }
    return step;
  }

  static Node Named(std::string name) {
    Node node;
    node.name = std::move(name);
    return node;
  }

  // The rank with the most parameters decides how long the reduction and the optimizer take.
  double ParametersOfFullestRank() const {
    std::int64_t most = 0;
    for (std::int64_t s = 0; s < plan_.pp; ++s) {
      most = std::max(most, ParametersOnRank(llm_, ShareOf(llm_, plan_, s)));
    }
    return Number(most);
  }

  void AddCollective(
      Node& step, std::string name, CollectiveKind kind, Bytes bytes, Group group) const {
    step.Add(CollectiveNode(std::move(name), {kind, bytes, group}, cluster_, estimator_));
  }

  void AddGradientReduction(Node& step) const {
    const double parameters = ParametersOfFullestRank();
    const Bytes gradients = parameters * BytesOf(precision_.communication);
    if (llm_.tied_embeddings && plan_.pp > 1) {
      const double table = Number(llm_.vocabulary) / Number(plan_.tp) * Number(llm_.hidden);
      AddCollective(step,
                    "tied embedding all-reduce",
                    CollectiveKind::kAllReduce,
                    table * BytesOf(precision_.communication),
                    {2, plan_.tp * plan_.dp * (plan_.pp - 1)});
    }
    if (plan_.dp == 1) return;
    if (plan_.zero == 0) {
      AddCollective(
          step, "dp gradient all-reduce", CollectiveKind::kAllReduce, gradients, DpGroup(plan_));
    } else {
      AddCollective(step,
                    "dp gradient reduce-scatter",
                    CollectiveKind::kReduceScatter,
                    gradients,
                    DpGroup(plan_));
    }
  }

  void AddOptimizer(Node& step) const {
    const double owners = plan_.zero >= 1 ? Number(plan_.dp) : 1;
    const double parameters = ParametersOfFullestRank();
    // Adam reads the gradient, master weights and moments, and writes the latter and the weights.
    const Bytes each = BytesOf(precision_.gradients) + 6 * BytesOf(precision_.optimizer) +
                       BytesOf(precision_.weights);
    constexpr double kAdamOperations = 12;  // a parameter
    const double own = parameters / owners;
    Elementwise adam{own * each, Flops(own * kAdamOperations), ElementwiseKind::kOptimizer};
    adam.cols = std::max<std::int64_t>(1, std::llround(own));
    adam.dtype = precision_.optimizer;
    adam.cold = true;  // states are larger than any cache, and last touched a step ago
    WorkList work = {{"optimizer", "Adam", Op(adam)}};
    Merge(step, Compose(work), 1);
    if (plan_.zero >= 1 && plan_.dp > 1) {
      AddCollective(step,
                    "dp weight all-gather",
                    CollectiveKind::kAllGather,
                    parameters * BytesOf(precision_.weights),
                    DpGroup(plan_));
    }
  }

  const Llm& llm_;
  const Cluster& cluster_;
  const Plan& plan_;
  const Precision& precision_;
  Estimator& estimator_;
  Pass pass_;
};

// Degrees that the step's time does not have yet.
void RefuseUnmodelledTime(const Plan& plan) {
  const auto refuse = [](bool given, const std::string& value, std::string_view what) {
    if (!given) return;
    throw ArgumentError(value + ": the time of " + std::string(what) +
                        " is not modelled yet; 'roofcast memory train' gives its memory");
  };
  const auto number = [](std::string_view name, std::int64_t value) {
    return std::string(name) + "=" + std::to_string(value);
  };
  refuse(plan.cp > 1, number("cp", plan.cp), "context parallelism");
  refuse(plan.ep > 1, number("ep", plan.ep), "expert parallelism");
  refuse(plan.moe_tp > 0 && plan.moe_tp != plan.tp,
         number("moe-tp", plan.moe_tp),
         "experts split another way than the rest");
  refuse(plan.vpp > 1, number("vpp", plan.vpp), "interleaved stages");
  refuse(plan.zero == 2 || plan.zero == 3,
         number("zero", plan.zero),
         plan.zero == 2 ? "sharded gradients" : "sharded weights");
  refuse(plan.shard > 0, number("shard", plan.shard), "states sharded over part of the ranks");
  refuse(plan.recompute == Recompute::kSelective, "recompute=selective", "selective recompute");
}

RepeatedWork RepeatedOf(const Plan& plan) {
  if (plan.recompute == Recompute::kFull) return RepeatedWork::kLayers;
  return plan.recompute == Recompute::kSelective ? RepeatedWork::kScores : RepeatedWork::kNone;
}

}  // namespace

StepTime PredictTrainStep(const Llm& llm,
                          const Cluster& cluster,
                          const TrainLoad& load,
                          const Options& options) {
  if (options.plan) RefuseUnmodelledTime(*options.plan);
  StepTime step;
  step.verb = "predict train";
  const Fit& fit = FitOf(options);
  const Precision precision = SettleTraining(llm, cluster, load, options, fit, step);
  Estimator estimator = EstimatorFor(cluster, options);
  const TrainStep train(llm, cluster, step.plan, precision, load.sequence, estimator);
  step.breakdown = train.Compose(MicroBatchesOf(step.plan, load.global_batch));
  step.assumptions["overlap"] = "collectives are not overlapped with computing";
  Finish(llm, cluster, fit, precision, &estimator, step);

  const double tokens = Number(load.global_batch) * Number(load.sequence);
  step.flops_convention = options.flops_convention;
  step.model_flops = tokens * TrainingFlopsPerToken(llm, load.sequence, options.flops_convention);
  step.tokens_per_s = tokens / step.time.value();
  step.tokens_per_s_per_device = step.tokens_per_s / Number(cluster.devices);
  const FlopRate peak = cluster.device.PeakOf(precision.activations);
  const FlopRate whole = peak * Number(cluster.devices);
  step.mfu = step.model_flops / step.time / whole;
  const Flops of_sequence =
      HardwareFlops(llm, {load.sequence}, options.flops_convention, RepeatedOf(step.plan));
  step.hfu = of_sequence * Number(load.global_batch) / step.time / whole;
  return step;
}

}  // namespace roofcast
