// SPDX-License-Identifier: Apache-2.0
#include "models/parallelism/lower.h"

#include <algorithm>

#include "models/llm/tensors.h"
#include "models/parallelism/fused_gemm.h"
#include "models/parallelism/passes.h"
#include "models/parallelism/recurrence.h"

namespace roofcast {
namespace {

// The line of the breakdown that a part of the layer belongs to.
std::string_view GroupOf(Part part) {
  if (part == Part::kRecurrent) return "recurrent";
  return part == Part::kAttention ? "attention" : "ffn";
}

// Builds the list of one layer, forward or backward.
class LayerLowering {
 public:
  LayerLowering(const Llm& llm,
                const Layer& layer,
                const Plan& plan,
                const Precision& precision,
                const Pass& pass)
      : llm_(llm),
        layer_(layer),
        plan_(plan),
        precision_(precision),
        pass_(pass),
        rank_{llm, layer, plan, precision, pass},
        gemms_(FusedGemms(llm, LayerTensors(layer, llm.hidden), precision, plan.tp)) {}

  WorkList Forward() {
    if (HasMixer()) {
      Norms(MixerGroup(), 1);
      Gather(MixerGroup());
      MixerForward();
      if (!SharesOnePath()) Reduce(MixerGroup());
    }
    if (!layer_.ffn.IsNone()) {
      if (!SharesOnePath()) {
        Norms("ffn", 1);
        Gather("ffn");
      }
      FfnForward();
      Reduce("ffn");
    }
    return std::move(work_);
  }

  // Each matrix product has two in backward: the gradient of its input and of its weights.
  WorkList Backward() {
    if (!layer_.ffn.IsNone()) {
      Gather("ffn");
      FfnBackward();
      if (!SharesOnePath()) {
        Reduce("ffn");
        Norms("ffn", kBackwardTraffic);
      }
    }
    if (HasMixer()) {
      if (!SharesOnePath()) Gather(MixerGroup());
      MixerBackward();
      Reduce(MixerGroup());
      Norms(MixerGroup(), kBackwardTraffic);
    }
    if (SequenceParallel()) {
      // The gathered inputs were dropped after forward; weight gradients need them once more.
      if (HasMixer()) GatherOnce(MixerGroup());
      if (!layer_.ffn.IsNone() && !SharesOnePath()) GatherOnce("ffn");
    }
    return std::move(work_);
  }

 private:
  // Backward of a norm reads its saved input beside the gradient: three tensors instead of two.
  static constexpr double kBackwardTraffic = 1.5;

  bool HasMixer() const { return !layer_.attention.IsNone() || !layer_.recurrent.IsNone(); }
  std::string_view MixerGroup() const {
    return layer_.attention.IsNone() ? "recurrent" : "attention";
  }
  bool MixesTokens() const { return layer_.attention.kind != AttentionKind::kLinear; }
  // Mixer and FFN read one normed input, and their outputs are added up together.
  bool SharesOnePath() const { return layer_.parallel && HasMixer() && !layer_.ffn.IsNone(); }

  void MixerForward() {
    if (!layer_.attention.IsNone()) {
      AddGemms({Part::kAttention}, /*last=*/false, &LayerLowering::AddForward);
      ReduceWithin("attention", NumbersOfNorm());
      if (MixesTokens()) {
        AddRotary();
        if (layer_.attention.index_heads > 0) {
          work_.push_back({"attention", "indexer", Op(Indexer(false))});
        }
        work_.push_back({"attention", "attention", Op(Core(false))});
      }
      GateOutput(1);
      AddGemms({Part::kAttention}, /*last=*/true, &LayerLowering::AddForward);
    }
    if (layer_.recurrent.IsNone()) return;
    AddGemms({Part::kRecurrent}, /*last=*/false, &LayerLowering::AddForward);
    ReduceWithin("recurrent", NumbersSummedWithin(layer_.recurrent));
    AddRecurrence(/*backward=*/false);
    AddGemms({Part::kRecurrent}, /*last=*/true, &LayerLowering::AddForward);
  }

  void MixerBackward() {
    if (!layer_.recurrent.IsNone()) {
      AddGemms({Part::kRecurrent}, /*last=*/true, &LayerLowering::AddBackward);
      AddRecurrence(/*backward=*/true);
      ReduceWithin("recurrent", NumbersSummedWithin(layer_.recurrent));
      AddGemms({Part::kRecurrent}, /*last=*/false, &LayerLowering::AddBackward);
    }
    if (layer_.attention.IsNone()) return;
    AddGemms({Part::kAttention}, /*last=*/true, &LayerLowering::AddBackward);
    GateOutput(kBackwardTraffic);
    if (MixesTokens()) {
      work_.push_back({"attention", "attention", Op(Core(true))});
      if (layer_.attention.index_heads > 0) {
        work_.push_back({"attention", "indexer", Op(Indexer(true))});
      }
      AddRotary();
    }
    ReduceWithin("attention", NumbersOfNorm());
    AddGemms({Part::kAttention}, /*last=*/false, &LayerLowering::AddBackward);
  }

  void AddRecurrence(bool backward) {
    StateScan scan = RecurrenceOn(layer_.recurrent, plan_.tp, pass_, precision_);
    scan.backward = backward;
    work_.push_back({"recurrent", "recurrent state", Op(scan)});
  }

  // Sums of a few fp32 numbers over tp within a mixer. A norm over all heads needs the squares of
  // queries and of keys.
  void ReduceWithin(std::string_view group, std::int64_t numbers) {
    if (plan_.tp == 1 || numbers == 0) return;
    const Bytes message = Tokens() * Number(numbers) * Bytes(4);
    work_.push_back(
        {group, "tp all-reduce", Collective{CollectiveKind::kAllReduce, message, TpGroup(plan_)}});
  }
  std::int64_t NumbersOfNorm() const {
    return layer_.attention.query_key_norm == QueryKeyNorm::kWhole ? 2 : 0;
  }
  bool SequenceParallel() const {
    return pass_.training && plan_.sequence_parallel && plan_.tp > 1;
  }
  double Tokens() const { return Number(pass_.Tokens()); }
  Bytes Element() const { return BytesOf(precision_.residual); }

  void AddPass(std::string_view group, std::string_view name, const Elementwise& op) {
    work_.push_back({group, name, Op(op)});
  }
  void GateOutput(double factor) {
    if (layer_.attention.output_gate) AddPass("attention", "output gate", GateOn(rank_, factor));
  }
  void AddRotary() {
    AddPass("attention", "rotary and KV write", RotaryOn(rank_, Core(/*backward=*/false)));
  }
  void Norms(std::string_view group, double factor) {
    AddPass(group, "norm and residual", NormsOn(rank_, factor));
  }

  // MLA without expanding keys and values: in decode, and where sparse attention picks tokens for
  // each query, since it gathers latents.
  bool IsAbsorbed() const {
    const std::int64_t picked = layer_.attention.index_tokens;
    return pass_.queries == 1 || (picked > 0 && pass_.keys > picked);
  }

  Attention Core(bool backward) const {
    const AttentionLayer& a = layer_.attention;
    Attention core;
    core.batch = pass_.batch;
    core.queries = pass_.queries;
    core.keys = pass_.keys;
    core.heads = a.heads / plan_.tp;
    core.kv_heads = std::max<std::int64_t>(1, a.kv_heads / plan_.tp);
    core.head_dim = a.head_dim;
    core.value_dim = a.value_dim;
    core.window = a.kind == AttentionKind::kSliding ? a.window : a.index_tokens;
    core.chunk = a.kind == AttentionKind::kChunked ? a.window : 0;
    core.causal = llm_.causal;
    core.backward = backward;
    // Narrow formats are for the matrix products alone; wider ones are for attention too.
    core.math = BytesOf(precision_.activations) > BytesOf(precision_.residual)
                    ? precision_.activations
                    : precision_.residual;
    core.io = precision_.residual;
    core.kv = pass_.training ? precision_.residual : precision_.kv;
    if (a.kind == AttentionKind::kLatent) {
      core.latent = a.latent_rank + a.rotary_dim;
      if (IsAbsorbed()) {
        // Every head attends to the one latent, whose first part is also the values.
        core.kv_heads = 1;
        core.head_dim = a.latent_rank + a.rotary_dim;
        core.value_dim = a.latent_rank;
        core.shared_values = true;
      } else {
        core.kv_heads = core.heads;  // expanded keys and values
      }
    }
    return core;
  }

  // The indexer scores every cached token by one shared key; there are no values to add up.
  Attention Indexer(bool backward) const {
    const AttentionLayer& a = layer_.attention;
    Attention index;
    index.batch = pass_.batch;
    index.queries = pass_.queries;
    index.keys = pass_.keys;
    index.heads = a.index_heads;
    index.kv_heads = 1;
    index.head_dim = a.index_dim;
    index.value_dim = 0;
    index.backward = backward;
    index.math = precision_.residual;
    index.io = precision_.residual;
    index.kv = pass_.training ? precision_.residual : precision_.kv;
    return index;
  }

  using Add = void (LayerLowering::*)(const FusedGemm&);
  // Matrix products of some parts; those after the attention core or the activation are `last`,
  // and they alone are row parallel.
  void AddGemms(std::initializer_list<Part> parts, bool last, Add add) {
    for (const FusedGemm& gemm : gemms_) {
      if (std::find(parts.begin(), parts.end(), gemm.part) == parts.end()) continue;
      if (gemm.splits_inputs == last) (this->*add)(gemm);
    }
  }

  void AddForward(const FusedGemm& gemm) {
    work_.push_back(
        {GroupOf(gemm.part), NameOf(gemm), Op(ForwardGemm(gemm, precision_, pass_.Tokens()))});
  }

  void AddBackward(const FusedGemm& gemm) {
    const std::int64_t tokens = pass_.Tokens();
    const Gemm input = InputGradientGemm(gemm, precision_, tokens);
    const Gemm weights = WeightGradientGemm(gemm, precision_, tokens);
    work_.push_back({GroupOf(gemm.part), NameOf(gemm), Op(input)});
    work_.push_back({GroupOf(gemm.part), NameOf(gemm), Op(weights)});
  }

  static std::string_view NameOf(const FusedGemm& gemm) {
    if (gemm.part != Part::kSharedExperts || gemm.name.starts_with("latent")) return gemm.name;
    return gemm.splits_inputs ? "shared experts down" : "shared experts up";
  }

  // The routed experts, by random routing. Each group of tp ranks brings tokens of its own to the
  // ranks that share the experts.
  FusedMoe Experts(bool backward) const {
    const auto found = std::find_if(gemms_.begin(), gemms_.end(), [](const FusedGemm& gemm) {
      return gemm.part == Part::kExperts;
    });
    const FfnLayer& ffn = layer_.ffn;
    FusedMoe op;
    op.tp = MoeTpOf(plan_);
    op.ep = plan_.ep;
    op.tokens = std::max<std::int64_t>(1, pass_.Tokens() * op.tp * op.ep / plan_.tp);
    op.hidden = ffn.expert_hidden > 0 ? ffn.expert_hidden : llm_.hidden;
    op.inter = ffn.width;
    op.per_token = ffn.experts_per_token;
    op.experts = ffn.experts;
    op.gated = ffn.gated;
    op.backward = backward;
    op.math = op.input = MathOf(*found, precision_);
    op.weights = found->weights;
    op.weight_overhead = found->overhead;
    op.scale_block = ScaleBlock();
    op.output = precision_.residual;
    op.gradients = precision_.gradients;
    return op;
  }
  std::int64_t ScaleBlock() const {
    if (!IsAsStored(llm_, precision_)) return 0;
    for (const Tensor& tensor : LayerTensors(layer_, llm_.hidden)) {
      if (tensor.part != Part::kExperts) continue;
      const MatrixFormat* format = FormatOf(llm_, tensor);
      return format == nullptr ? 0 : format->block_columns;
    }
    return 0;
  }

  // The activation outside the routed experts.
  void Activation(bool backward) {
    const Elementwise op = ActivationOn(rank_, backward);
    if (op.traffic > Bytes(0)) AddPass("ffn", "activation", op);
  }

  void FfnForward() {
    AddGemms({Part::kRouter}, false, &LayerLowering::AddForward);
    AddGemms({Part::kFfn, Part::kSharedExperts}, false, &LayerLowering::AddForward);
    if (layer_.ffn.IsMoe()) work_.push_back({"ffn", "experts", Op(Experts(/*backward=*/false))});
    Activation(/*backward=*/false);
    AddGemms({Part::kFfn, Part::kSharedExperts}, true, &LayerLowering::AddForward);
  }

  void FfnBackward() {
    AddGemms({Part::kFfn, Part::kSharedExperts}, true, &LayerLowering::AddBackward);
    Activation(/*backward=*/true);
    if (layer_.ffn.IsMoe()) work_.push_back({"ffn", "experts", Op(Experts(/*backward=*/true))});
    AddGemms({Part::kFfn, Part::kSharedExperts}, false, &LayerLowering::AddBackward);
    AddGemms({Part::kRouter}, false, &LayerLowering::AddBackward);
  }

  Collective OverTp(CollectiveKind kind) const {
    return {kind, Tokens() * Number(llm_.hidden) * Element(), TpGroup(plan_)};
  }
  // Before a sub-layer: sequence parallelism gathers the split tokens.
  void Gather(std::string_view group) {
    if (SequenceParallel()) GatherOnce(group);
  }
  void GatherOnce(std::string_view group) {
    work_.push_back({group, "tp all-gather", OverTp(CollectiveKind::kAllGather)});
  }
  // After a sub-layer: partial sums are added up.
  void Reduce(std::string_view group) {
    if (plan_.tp == 1) return;
    if (SequenceParallel()) {
      work_.push_back({group, "tp reduce-scatter", OverTp(CollectiveKind::kReduceScatter)});
    } else {
      work_.push_back({group, "tp all-reduce", OverTp(CollectiveKind::kAllReduce)});
    }
  }

  const Llm& llm_;
  const Layer& layer_;
  const Plan& plan_;
  const Precision& precision_;
  const Pass& pass_;
  LayerOnRank rank_;
  std::vector<FusedGemm> gemms_;
  WorkList work_;
};

}  // namespace

WorkList LayerForward(const Llm& llm,
                      const Layer& layer,
                      const Plan& plan,
                      const Precision& precision,
                      const Pass& pass) {
  return LayerLowering(llm, layer, plan, precision, pass).Forward();
}

WorkList LayerBackward(const Llm& llm,
                       const Layer& layer,
                       const Plan& plan,
                       const Precision& precision,
                       const Pass& pass) {
  return LayerLowering(llm, layer, plan, precision, pass).Backward();
}

}  // namespace roofcast
