// SPDX-License-Identifier: Apache-2.0
#include "models/steps/training_memory.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/error.h"
#include "models/llm/config.h"
#include "models/steps/predict.h"
#include "tests/models/training_models.h"

namespace roofcast {
namespace {

const Llm& Llama8B() {
  static const Llm llm = LoadLlm("llama-3.1-8b");
  return llm;
}

TrainingMemory Peak(const Llm& llm,
                    Plan plan,
                    const TrainingRule& rule,
                    const TrainingMemoryLoad& load = {4096, 64}) {
  if (plan.dp == 0) plan.dp = 1;
  return PeakTrainingMemory(llm, plan, {}, rule, load);
}

Bytes StatesOf(const Node& ledger) {
  return PartOf(ledger, "weights") + PartOf(ledger, "gradients") + PartOf(ledger, "optimizer");
}

// Activations that the layers of the fullest stage keep.
Bytes LayersOf(const TrainingMemory& memory) {
  const Node* activations = FindChild(memory.ledger, "activations");
  REQUIRE(activations != nullptr);
  REQUIRE(!activations->children.empty());
  return activations->children.front().bytes;
}

double SumOfLeaves(const Node& node) {
  if (node.children.empty()) return node.bytes.value();
  double sum = 0;
  for (const Node& child : node.children) sum += SumOfLeaves(child);
  return sum;
}

StepTime Predict(const Llm& llm,
                 const char* cluster,
                 const Plan& plan,
                 const TrainLoad& load,
                 const Engine* engine = nullptr) {
  Options options;
  options.plan = plan;
  options.engine = engine;
  return PredictTrainingMemory(llm, LoadCluster(cluster), load, options);
}

constexpr Recompute kRecomputes[] = {Recompute::kNone, Recompute::kSelective, Recompute::kFull};

}  // namespace

TEST_CASE("Korthikanti's figure 1: activations of 22 B to 1 T, to all printed digits") {
  struct Run {
    std::int64_t layers, hidden, heads, pp, vpp, batch;
    double none, selective;  // GiB: tensor parallelism; sequence parallelism and selective
  };
  // Table 3 of the paper; sequence 2048, tp 8.
  for (const Run& run : {Run{48, 6144, 64, 1, 1, 4, 59.25, 9.5625},
                         Run{96, 12'288, 96, 8, 3, 1, 66.84375, 12.3515625},
                         Run{105, 20'480, 128, 35, 3, 1, 114.0234375, 23.076171875},
                         Run{128, 25'600, 160, 64, 1, 1, 131.25, 26.5625}}) {
    CAPTURE(run.layers);
    const Llm gpt = Gpt(run.layers, run.hidden, run.heads);
    Plan plan{.tp = 8, .pp = run.pp, .vpp = run.vpp, .micro_batch = run.batch};
    plan.sequence_parallel = false;
    CHECK(LayersOf(Peak(gpt, plan, KorthikantiRule(), {2048, 4096})).value() / kGib ==
          doctest::Approx(run.none).epsilon(1e-9));
    plan.sequence_parallel = true;
    plan.recompute = Recompute::kSelective;
    CHECK(LayersOf(Peak(gpt, plan, KorthikantiRule(), {2048, 4096})).value() / kGib ==
          doctest::Approx(run.selective).epsilon(1e-9));
  }
}

TEST_CASE("Korthikanti's figure 1: states of 18 bytes x 12 L h^2 (1 + 13 / 12 h) / devices") {
  struct Run {
    std::int64_t layers, hidden, heads, pp;
    double gib;
  };
  for (const Run& run :
       {Run{105, 20'480, 128, 35, 31.640625}, Run{128, 25'600, 160, 64, 32.958984375}}) {
    CAPTURE(run.layers);
    // The paper divides norms and biases by tp too, of which a rank of tp 8 has some whole; the
    // printed digits are 12 L h^2 alone.
    const Llm gpt = Gpt(run.layers, run.hidden, run.heads);
    const auto states = [&](std::int64_t tp) {
      const Plan plan{.tp = tp, .pp = run.pp};
      return StatesOf(Peak(gpt, plan, NeutralRule(), {1, 1}).ledger).value() / kGib;
    };
    const double beside = 13.0 / (12.0 * static_cast<double>(run.hidden));
    CHECK(states(1) / 8 == doctest::Approx(run.gib * (1 + beside)).epsilon(1e-4));
    CHECK(states(8) == doctest::Approx(run.gib).epsilon(5e-4));
  }
}

TEST_CASE("DeepSpeed's estimator of ZeRO-3: 4 bytes of the largest layer, 18 / n of the model") {
  // https://github.com/deepspeedai/DeepSpeed/issues/4527: 6805 M parameters, 131 M in the largest
  // layer, 4 devices: 29.01 GB. The model has a table of 32000 x 4096, Llama-2-7B's.
  CHECK((4 * 131.072e6 + 18 * 6805e6 / 4) / kGib == doctest::Approx(29.01).epsilon(1e-3));
  const Llm llm = LoadLlm("llama-2-7b");
  const auto parameters = static_cast<double>(CountParameters(llm).total);
  TrainingRule rule = RuleOf("deepspeed");
  const double unit = static_cast<double>(LargestUnit(llm, {{1, 0, 32, true, true}}));
  // Its largest layer is a decoder layer of Llama-2-7B: 202 M, not the table as the estimator has
  // it, which looks at single modules.
  CHECK(unit == 4.0 * 4096 * 4096 + 3.0 * 4096 * 11'008 + 2 * 4096);
  // At the end of a backward: no activations but of the last layer, so a model of many states.
  const Node ledger = Peak(llm, {.dp = 4, .zero = 3}, rule, {1, 1}).ledger;
  const Bytes held = StatesOf(ledger) + PartOf(ledger, "communication buffers") +
                     PartOf(ledger, "gradients of a micro-batch");
  CHECK(held.value() == doctest::Approx(4 * unit + 18 * parameters / 4).epsilon(1e-12));
}

TEST_CASE("Megatron-LM's own estimate of layers agrees: s b h L (18 + 4 f / h) / t, interleaved") {
  // theoretical_memory_usage.py [megatron-memory] with sequence parallelism and selective
  // recompute.
  const Llm gpt = Gpt(96, 12'288, 96);
  const Plan plan{.tp = 8, .pp = 8, .vpp = 3, .recompute = Recompute::kSelective};
  const double layers = 2048.0 * 12'288 * 96 * (18 + 4 * 4) / 8 * (1 + 7.0 / 24);
  CHECK(LayersOf(Peak(gpt, plan, KorthikantiRule(), {2048, 64})).value() ==
        doctest::Approx(layers).epsilon(1e-12));
}

TEST_CASE("83e9 bytes are 77.3 GiB and fit a card of 80 GiB") {
  // https://github.com/meta-pytorch/torchtune/pull/1348.
  CHECK(83e9 / kGib == doctest::Approx(77.3).epsilon(1e-3));
  CHECK(VerdictOf(Bytes(83e9), Bytes(80 * kGib), 0) == MemoryVerdict::kFits);
  CHECK(VerdictOf(Bytes(83e9), Bytes(80 * kGib), 0.05) == MemoryVerdict::kTight);
  CHECK(VerdictOf(Bytes(83e9), Bytes(80e9), 0.05) == MemoryVerdict::kOutOfMemory);
}

TEST_CASE("the ledger is the sum of its leaves, in every engine and plan") {
  for (const std::string& name : EngineNames()) {
    const Engine engine = LoadEngine(name);
    if (!engine.training) continue;
    CAPTURE(name);
    for (const std::int64_t zero : {0, 1, 2, 3}) {
      for (const Recompute recompute : kRecomputes) {
        const Plan plan{.tp = 2, .pp = 4, .dp = 4, .vpp = 2, .zero = zero, .recompute = recompute};
        const TrainingMemory memory = Peak(Llama8B(), plan, *engine.training);
        CHECK(SumOfLeaves(memory.ledger) ==
              doctest::Approx(memory.ledger.bytes.value()).epsilon(1e-12));
        REQUIRE(memory.stages.size() == 4);
        Bytes most;
        for (const StagePeak& peak : memory.stages) most = std::max(most, peak.bytes);
        CHECK(memory.ledger.bytes == most);
        CHECK(memory.stages[static_cast<std::size_t>(memory.stage)].bytes == most);
        CHECK(memory.stages[static_cast<std::size_t>(memory.stage)].phase == memory.phase);
      }
    }
  }
}

TEST_CASE("each stage of ZeRO and of recompute holds no more than the one before") {
  for (const char* model : {"llama-3.1-70b", "mixtral-8x22b"}) {
    CAPTURE(model);
    const Llm llm = LoadLlm(model);
    for (const std::int64_t pp : {1, 4}) {
      Bytes before(1e18);
      for (const std::int64_t zero : {0, 1, 2, 3}) {
        CAPTURE(zero);
        const Plan plan{.tp = 4, .pp = pp, .dp = 16, .zero = zero};
        const Bytes bytes = Peak(llm, plan, NeutralRule()).ledger.bytes;
        CHECK(bytes <= before);
        before = bytes;
      }
      before = Bytes(1e18);
      for (const Recompute recompute : kRecomputes) {
        const Plan plan{.tp = 4, .pp = pp, .dp = 16, .recompute = recompute};
        const Bytes bytes = Peak(llm, plan, KorthikantiRule()).ledger.bytes;
        CHECK(bytes <= before);
        before = bytes;
      }
    }
  }
}

TEST_CASE("in a pipeline FSDP keeps a stage's weights and gradients whole between micro-batches") {
  // torchtitan does not reshard after forward with pp. Llama-3.1-8B on two stages, dp 8.
  const TrainingRule rule = RuleOf("fsdp");
  const Plan plan{.pp = 2, .dp = 8, .zero = 3, .recompute = Recompute::kFull};
  const TrainingMemory memory = Peak(Llama8B(), plan, rule, {512, 8});
  const double stage = (8'030'261'248.0 - 4096) / 2;  // the final norm lies on the second
  CHECK(memory.phase == TrainingPhase::kForward);
  CHECK(PartOf(memory.ledger, "gradients of a micro-batch").value() ==
        doctest::Approx(4 * stage).epsilon(1e-5));
  CHECK(PartOf(memory.ledger, "communication buffers").value() ==
        doctest::Approx(2 * stage).epsilon(1e-5));
}

TEST_CASE("interleaving with smaller micro-batches holds less than 1F1B, as torchtitan's 405 B") {
  // torchtitan, table 5: 82.5 GiB by 1F1B, 72.7 GiB interleaved, 32 sequences a rank that make as
  // many micro-batches as there are (virtual) stages.
  const Llm llm = LoadLlm("llama-3.1-405b");
  const auto gib = [&](std::int64_t vpp, std::int64_t micro_batch) {
    const Plan plan{.tp = 8,
                    .pp = 8,
                    .dp = 8,
                    .vpp = vpp,
                    .micro_batch = micro_batch,
                    .zero = 3,
                    .recompute = Recompute::kFull};
    const TrainingMemoryLoad load{8192, 32 / micro_batch};
    return Peak(llm, plan, RuleOf("fsdp"), load).ledger.bytes.value() / kGib;
  };
  CHECK(gib(1, 4) > gib(2, 2));
  CHECK(gib(1, 4) == doctest::Approx(82.5).epsilon(0.15));
  CHECK(gib(2, 2) == doctest::Approx(72.7).epsilon(0.15));
}

TEST_CASE("HSDP shards over its group alone: 8 of 64 ranks hold as 8 do") {
  const auto bytes = [](const Plan& plan) {
    return Peak(Llama8B(), plan, NeutralRule()).ledger.bytes;
  };
  CHECK(bytes({.dp = 64, .zero = 3, .shard = 8}) == bytes({.dp = 8, .zero = 3}));
  CHECK(bytes({.dp = 64, .zero = 3, .shard = 8}) > bytes({.dp = 64, .zero = 3}));
}

TEST_CASE("the states of all stages and chunks are those of the model") {
  for (const std::int64_t vpp : {1, 2, 5}) {
    std::int64_t parameters = 0;
    const Plan plan{.pp = 4, .vpp = vpp, .stages = StageRule::kByCost};
    for (std::int64_t stage = 0; stage < 4; ++stage) {
      for (const RankShare& share : SharesOf(Llama8B(), plan, stage)) {
        parameters += ParametersOnRank(Llama8B(), share);
      }
    }
    CHECK(parameters == 8'030'261'248);
  }
}

TEST_CASE("nanotron's ledger by hand: 1.34 B parameters, ZeRO-0 and ZeRO-1") {
  // 16 layers of 4 h^2 + 3 h 4 h + 2 h, a tied table of 131072 x 2048, a final norm.
  Llm llm = Gpt(16, 2048, 32);
  llm.kinds[0] = Layer{};
  llm.kinds[0].attention = {.heads = 32, .kv_heads = 32, .head_dim = 64, .value_dim = 64};
  llm.kinds[0].ffn = {.width = 8192};
  llm.vocabulary = 131'072;
  llm.has_head = true;
  llm.tied_embeddings = true;
  llm.final_norm = true;
  const TrainingRule rule = RuleOf("nanotron");
  const double p = 16 * (16.0 * 2048 * 2048 + 2 * 2048) + 131'072.0 * 2048 + 2048;
  const double fixed = 0.075 * kGib;
  const auto logged = [&](const Plan& plan) { return Peak(llm, plan, rule).logged->value(); };
  CHECK(logged({.dp = 1}) == doctest::Approx(18 * p + fixed).epsilon(1e-12));
  CHECK(logged({.dp = 8}) == doctest::Approx(20 * p + fixed).epsilon(1e-12));
  CHECK(logged({.dp = 8, .zero = 1}) ==
        doctest::Approx(p * (2 + 4 + 12.0 / 8 + 2 + 2 + 2.0 / 8) + fixed).epsilon(1e-12));
  const double half = 16 * (8.0 * 2048 * 2048 + 2 * 2048) + 65'536.0 * 2048 + 2048;
  CHECK(logged({.tp = 2, .dp = 4, .micro_batch = 2}) ==
        doctest::Approx(20 * half + 4.0 * 2 * 4096 * 2048 + fixed).epsilon(1e-12));
  // The peak: all activations, and the logits of one micro-batch.
  const double layer = 4096.0 * (16 * 2048 + 8 * 8192 + 4 * 32 + 8);
  const double working = 4096.0 * (2 * 2048 + 4 * 8192);
  const double head = 4096.0 * (4 * 2048 + 8 * 131'072.0);
  CHECK(Peak(llm, {.dp = 8}, rule).stages[0].allocated.value() ==
        doctest::Approx(20 * p + fixed + 16 * layer + working + head).epsilon(1e-12));
}

TEST_CASE("a plan whose time is not modelled has its memory, and time is refused by name") {
  const Llm llm = LoadLlm("deepseek-v3");
  const Plan plan{.tp = 2, .pp = 8, .cp = 2, .ep = 8, .vpp = 2, .zero = 1};
  const StepTime step = Predict(llm, "h100-sxm:256", plan, {512, 4096});
  CHECK(step.plan.dp == 8);
  CHECK(step.memory.phase.has_value());
  CHECK(FormatPlan(step.plan) == "tp2-pp8-dp8-cp2-ep8-vpp2");
  struct Refused {
    Plan plan;
    std::string what;
  };
  for (const Refused& refused :
       {Refused{{.cp = 2}, "cp=2: the time of context parallelism"},
        Refused{{.ep = 8}, "ep=8: the time of expert parallelism"},
        Refused{{.pp = 4, .vpp = 2}, "vpp=2: the time of interleaved stages"},
        Refused{{.zero = 2}, "zero=2: the time of sharded gradients"},
        Refused{{.zero = 3}, "zero=3: the time of sharded weights"},
        Refused{{.zero = 1, .shard = 8},
                "shard=8: the time of states sharded over part of the ranks"},
        Refused{{.recompute = Recompute::kSelective},
                "recompute=selective: the time of selective recompute"}}) {
    Options options;
    options.plan = refused.plan;
    const std::string message =
        refused.what + " is not modelled yet; 'roofcast memory train' gives its memory";
    CHECK_THROWS_WITH_AS(PredictTrainStep(llm, LoadCluster("h100-sxm:256"), {512, 4096}, options),
                         message.c_str(),
                         ArgumentError);
  }
}

TEST_CASE("time and memory of a training step have one ledger") {
  Options options;
  options.plan = Plan{.tp = 4, .pp = 2, .zero = 1};
  for (const std::string name : {"", "nanotron", "megatron-lm"}) {
    CAPTURE(name);
    std::optional<Engine> engine;
    if (!name.empty()) engine = LoadEngine(name);
    options.engine = engine ? &*engine : nullptr;
    const Cluster cluster = LoadCluster("h100-sxm:16");
    const StepTime time = PredictTrainStep(Llama8B(), cluster, {64, 4096}, options);
    const StepTime memory = PredictTrainingMemory(Llama8B(), cluster, {64, 4096}, options);
    CHECK(time.memory.bytes.bytes == memory.memory.bytes.bytes);
    CHECK(time.fits == memory.fits);
    CHECK(memory.memory.logged.has_value() == (name == "nanotron"));
  }
}

TEST_CASE("an engine that does not train, and what can't be, are refused") {
  Engine serving = LoadEngine("nanotron");
  serving.name = "server";
  serving.training.reset();
  CHECK_THROWS_WITH_AS(
      Predict(Llama8B(), "h100-sxm:8", {}, {64, 4096}, &serving),
      "engine=server: has no 'training' block; use one that trains, as nanotron, or leave it out",
      ArgumentError);
  CHECK_THROWS_WITH(Predict(Llama8B(), "h100-sxm:8", {.cp = 8}, {64, 4097}),
                    "cp=8: does not divide the sequence of 4097 tokens; use a divisor");
  Options options;
  options.training.loss_chunk = 0;
  CHECK_THROWS_AS(PredictTrainingMemory(Llama8B(), LoadCluster("h100-sxm:8"), {64, 4096}, options),
                  ArgumentError);
}

}  // namespace roofcast
