// SPDX-License-Identifier: Apache-2.0
#include "models/steps/admission.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "core/units.h"
#include "models/memory/kv_pages.h"
#include "models/memory/kv_policy.h"
#include "models/steps/memory_report.h"

namespace roofcast {
namespace {

const BatchDefaults& DefaultsFor(const AdmissionRule& rule, const Device& device) {
  const BatchDefaults* found = nullptr;
  for (const BatchDefaults& row : rule.batch) {
    const bool left_out = std::any_of(row.except.begin(), row.except.end(), [&](const auto& name) {
      return device.name.starts_with(name);
    });
    if (device.memory.Visible() >= row.from_memory && !left_out) found = &row;
  }
  if (found == nullptr) {
    throw ArgumentError("engine: its rule has no defaults for " + device.name +
                        "; its 'batch' needs a row from 0 GiB on");
  }
  return *found;
}

double DefaultFraction(const AdmissionRule& rule,
                       const Admission& admission,
                       const Device& device,
                       const Plan& plan) {
  if (rule.fraction) return *rule.fraction;
  if (!rule.reserve) {
    throw ArgumentError("memory-fraction: the engine's rule has no default; give one");
  }
  const DefaultReserve& reserve = *rule.reserve;
  Bytes held = reserve.constant + reserve.per_batched_token * Number(admission.batched_tokens) +
               reserve.per_sequence * Number(admission.sequences) +
               reserve.per_rank * Number(plan.tp * plan.pp);
  const Bytes memory = device.memory.Visible();
  if (memory > reserve.floor_from) held = std::max(held, reserve.floor);
  constexpr double kDigits = 1000;
  const double share = std::round((memory - held) / memory * kDigits) / kDigits;
  if (!(share > 0)) {
    throw ArgumentError("memory-fraction: " + device.name + " has less than the " +
                        FormatGib(held) + " that the engine holds back; give a fraction");
  }
  return share;
}

// What of a rank's memory is taken, and what the rule leaves for the KV cache.
struct Budget {
  Bytes driver;
  Node weights;
  Bytes peak;
  Bytes context;
  Bytes libraries;
  Bytes graphs;
  Bytes room;  // negative: not even the rest fits

  Bytes Taken() const { return driver + weights.bytes + peak + context + libraries + graphs; }
};

Budget BudgetOf(const AdmissionRule& rule,
                const Admission& admission,
                const Device& device,
                const Bytes peak,
                Node weights,
                const bool collective) {
  Budget budget;
  if (NormaliseName(device.vendor) == "nvidia") budget.driver = rule.driver;
  const Bytes memory = device.memory.Visible() - budget.driver;
  budget.weights = std::move(weights);
  budget.peak = peak;
  budget.context = rule.context;
  budget.libraries = rule.libraries + (collective ? rule.communication : Bytes(0));
  budget.graphs = rule.graphs;
  const Bytes profiled = budget.weights.bytes + peak + budget.libraries +
                         (rule.context_in_budget ? budget.context : Bytes(0)) +
                         (rule.graphs_in_budget ? budget.graphs : Bytes(0));
  switch (rule.fraction_of) {
    case BudgetBase::kTotal:
      budget.room = admission.fraction * memory - profiled;
      break;
    case BudgetBase::kFreeAtStart:
      budget.room =
          admission.fraction * (memory - budget.context - budget.libraries) - budget.weights.bytes;
      break;
    case BudgetBase::kFreeAfterProfiling:
      budget.room = admission.fraction * (memory - profiled);
      break;
  }
  return budget;
}

// What the cache of one stage is made of.
struct StageCache {
  RankShare share;
  Budget budget;
  Bytes sequence;  // of one sequence
  Bytes block;     // of one block in all layers, 0 where blocks have no one size
};

// Cache of the least block that can be given to a sequence: pages of a group, or tokens of every
// layer; none where windowed layers have pools of their own.
void SizeBlocks(const Llm& llm,
                const Precision& precision,
                const KvLayout& layout,
                std::int64_t length,
                StageCache& stage) {
  stage.sequence = KvLedger(llm, stage.share, precision, layout, 1, length).bytes;
  if (layout.policy == KvPolicy::kHybrid && NeedsPages(llm)) {
    stage.block = PagesOf(llm, stage.share, precision, layout, length).Block();
  } else if (!HasStates(llm) && (layout.policy == KvPolicy::kFull || !HasWindows(llm))) {
    stage.block = KvBytesPerTokenOnRank(llm, stage.share, precision, layout) * Number(layout.block);
  }
}

std::int64_t WholeBlocks(const StageCache& stage) {
  constexpr double kMost = 1e15;
  if (!(stage.block > Bytes(0)) || !(stage.budget.room > Bytes(0))) return 0;
  return static_cast<std::int64_t>(std::min(kMost, std::floor(stage.budget.room / stage.block)));
}

Node LedgerOf(const StageCache& stage, Bytes cache, Bytes memory) {
  const Budget& budget = stage.budget;
  Node ledger = BytesNode("device memory", Bytes(0));
  if (budget.driver > Bytes(0)) ledger.Add(BytesNode("kept by the driver", budget.driver));
  ledger.Add(budget.weights);
  ledger.Add(BytesNode("activation peak", budget.peak));
  ledger.Add(BytesNode("context", budget.context));
  ledger.Add(BytesNode("libraries and collectives", budget.libraries));
  ledger.Add(BytesNode("graphs", budget.graphs));
  ledger.Add(BytesNode("KV cache", cache));
  const Bytes rest = memory - ledger.bytes;
  if (rest > Bytes(0)) ledger.Add(BytesNode("left alone by the engine", rest));
  return ledger;
}

// Bytes, blocks, tokens and sequences of the stage that decides.
void FillReport(const Llm& llm,
                const Precision& precision,
                const EngineLoad& load,
                const StageCache& stage,
                std::int64_t blocks,
                StepTime& step) {
  MemoryReport& memory = step.memory;
  KvReport& kv = memory.kv;
  const bool in_blocks = stage.block > Bytes(0);
  kv.blocks = blocks;
  kv.request = stage.sequence;
  kv.pool = in_blocks ? Number(blocks) * stage.block : std::max(Bytes(0), stage.budget.room);
  kv.concurrency = stage.sequence > Bytes(0) ? kv.pool / stage.sequence : 0;
  const KvLine line = KvLineOf(llm, stage.share, precision, kv.layout);
  kv.fixed = line.fixed;
  kv.per_token = line.per_token;
  kv.by_policy = BytesByPolicy(llm, stage.share, precision, kv.layout, load.length);
  kv.name = kv.by_policy.front().name;
  memory.kv_length = load.length;
  memory.kv_bytes_per_token = KvBytesPerTokenOnRank(llm, stage.share, precision, kv.layout);
  memory.kv_concurrency = static_cast<std::int64_t>(std::floor(kv.concurrency));
  const bool paged = kv.layout.policy == KvPolicy::kHybrid && NeedsPages(llm);
  memory.kv_tokens =
      in_blocks && !paged
          ? blocks * kv.layout.block
          : static_cast<std::int64_t>(std::floor(kv.concurrency * Number(load.length)));
}

void Judge(const EngineLoad& load,
           const StageCache& stage,
           std::int64_t number,
           Bytes capacity,
           StepTime& step) {
  MemoryReport& memory = step.memory;
  const Bytes needed = stage.sequence * Number(load.sequences);
  const Bytes free = capacity - stage.budget.Taken();
  const bool has_room = !(needed > memory.kv.pool);
  const bool has_memory = !(memory.kv.pool > free);
  step.fits = has_room && has_memory;
  memory.capacity = capacity;
  memory.rank_stage = number;
  memory.bytes = LedgerOf(stage, has_room ? memory.kv.pool : needed, capacity);
  memory.headroom = capacity - memory.bytes.bytes;
  const std::string place = " on each rank of stage " + std::to_string(number);
  if (!has_room) {
    // The ledger holds what is needed; what the engine leaves alone is no use to it.
    memory.headroom = std::min(memory.headroom, stage.budget.room - needed);
    step.why.push_back("does not fit: " + std::to_string(load.sequences) +
                       (load.sequences == 1 ? " sequence needs " : " sequences need ") +
                       FormatGib(needed) + " of KV cache, the engine's rule leaves " +
                       FormatGib(std::max(Bytes(0), stage.budget.room)) + place);
  } else if (!has_memory) {
    step.why.push_back("does not fit: beside the KV cache there is " +
                       FormatGib(capacity - memory.kv.pool) + ", the rest needs " +
                       FormatGib(stage.budget.Taken()) + place + "; lower the memory fraction");
  }
}

}  // namespace

void ParseKvPolicy(std::string_view text, EngineChoice& choice) {
  std::vector<std::string> known = EnumWords<KvPolicy>();
  for (const std::string& word : EnumWords<LatentForm>()) known.push_back(word);
  for (const std::string& word : Split(text, ',')) {
    const auto policy = FindEnum<KvPolicy>(word);
    const auto latent = FindEnum<LatentForm>(word);
    if ((policy && choice.policy) || (latent && choice.latent) || (!policy && !latent)) {
      throw ArgumentError("kv-policy: '" + Printable(text) +
                          "' is not understood; use one policy, one form of latents, or both "
                          "with a comma: " +
                          JoinWithOr(known));
    }
    if (policy) choice.policy = policy;
    if (latent) choice.latent = latent;
  }
}

Admission SettleAdmission(const EngineChoice& choice, const Device& device, const Plan& plan) {
  const auto refuse = [](std::string_view flag, std::string_view wanted) {
    throw ArgumentError(std::string(flag) + ": out of range; use " + std::string(wanted));
  };
  Admission settled;
  settled.layout.policy = choice.policy.value_or(settled.layout.policy);
  settled.layout.latent = choice.latent.value_or(settled.layout.latent);
  constexpr std::int64_t kMostTokens = 100'000'000;
  for (const auto& [flag, value] : {std::pair("max-batched-tokens", choice.batched_tokens),
                                    std::pair("max-sequences", choice.sequences),
                                    std::pair("block-size", choice.block_size)}) {
    if (value && (*value < 1 || *value > kMostTokens)) {
      refuse(flag, "a whole number from 1 to 100000000");
    }
  }
  if (choice.memory_fraction && !(*choice.memory_fraction > 0 && *choice.memory_fraction <= 1)) {
    refuse("memory-fraction", "a number above 0, up to 1");
  }
  settled.layout.block = choice.block_size.value_or(1);
  if (choice.engine == nullptr) {
    if (choice.memory_fraction || choice.batched_tokens || choice.sequences) {
      throw ArgumentError(
          "engine: memory fraction, batched tokens and sequences are an engine's; name one");
    }
    return settled;
  }
  if (!choice.engine->admission) {
    throw ArgumentError("engine: " + choice.engine->name +
                        " has no rule for KV cache; 'roofcast list engines' names all");
  }
  const AdmissionRule& rule = *choice.engine->admission;
  const BatchDefaults& defaults = DefaultsFor(rule, device);
  settled.batched_tokens = choice.batched_tokens.value_or(defaults.batched_tokens);
  const bool wide = plan.tp >= 4 && defaults.sequences_of_tp4;
  settled.sequences =
      choice.sequences.value_or(wide ? *defaults.sequences_of_tp4 : defaults.sequences);
  settled.fraction = choice.memory_fraction.value_or(DefaultFraction(rule, settled, device, plan));
  settled.layout.policy = choice.policy.value_or(rule.kv_policy);
  settled.layout.latent = choice.latent.value_or(rule.latent_form);
  settled.layout.state = rule.state_format;
  settled.layout.block = choice.block_size.value_or(rule.block_size);
  settled.layout.window_room = rule.window_room.value_or(settled.batched_tokens);
  settled.layout.pool_share = rule.pool_share.value_or(1);
  return settled;
}

Bytes ActivationPeak(const Llm& llm,
                     const RankShare& share,
                     const Precision& precision,
                     const Admission& admission,
                     const AdmissionRule& rule) {
  const std::int64_t rows = std::min(admission.sequences, admission.batched_tokens);
  if (!rule.bytes_per_logit) {
    return InferenceWorkspace(llm, share, precision, admission.batched_tokens, rows);
  }
  RankShare layers = share;
  layers.head = false;
  const Bytes pass = InferenceWorkspace(llm, layers, precision, admission.batched_tokens, 0);
  if (!share.head) return pass;
  const Bytes hidden =
      Number(admission.batched_tokens) * Number(llm.hidden) * BytesOf(precision.residual);
  const Bytes sampling = Number(rows) * Number(llm.vocabulary) * Bytes(*rule.bytes_per_logit);
  return std::max(pass, hidden + sampling);
}

std::vector<KvPolicyBytes> BytesByPolicy(const Llm& llm,
                                         const RankShare& share,
                                         const Precision& precision,
                                         const KvLayout& layout,
                                         std::int64_t tokens) {
  const auto bytes = [&](const KvLayout& other) {
    return KvLedger(llm, share, precision, other, 1, tokens).bytes;
  };
  const bool windows = HasWindows(llm);
  std::vector<KvPolicyBytes> all;
  const bool by_latent = HasLatents(llm) && !windows;
  all.push_back(
      {std::string(by_latent ? NameOf(layout.latent) : NameOf(layout.policy)), bytes(layout)});
  if (windows) {
    for (const KvPolicy policy : {KvPolicy::kFull, KvPolicy::kWindow}) {
      if (policy == layout.policy) continue;
      KvLayout other = layout;
      other.policy = policy;
      other.window_room = 0;
      all.push_back({std::string(NameOf(policy)), bytes(other)});
    }
  }
  if (HasLatents(llm)) {
    KvLayout other = layout;
    const bool absorbed = layout.latent == LatentForm::kAbsorbed;
    other.latent = absorbed ? LatentForm::kExpanded : LatentForm::kAbsorbed;
    all.push_back({std::string(NameOf(other.latent)), bytes(other)});
  }
  return all;
}

void ReportEngineMemory(const Llm& llm,
                        const Cluster& cluster,
                        const Precision& precision,
                        const EngineLoad& load,
                        const EngineChoice& choice,
                        StepTime& step) {
  const Plan& plan = step.plan;
  const Device& device = cluster.device;
  const Admission admission = SettleAdmission(choice, device, plan);
  const AdmissionRule& rule = *choice.engine->admission;
  const Bytes memory = device.memory.Visible();
  std::int64_t blocks = 0;
  std::int64_t decides = 0;
  StageCache least{};
  for (std::int64_t number = 0; number < plan.pp; ++number) {
    StageCache stage{};
    stage.share = ShareOf(llm, plan, number);
    stage.budget = BudgetOf(rule,
                            admission,
                            device,
                            ActivationPeak(llm, stage.share, precision, admission, rule),
                            WeightsLedger(llm, stage.share, precision),
                            plan.tp * plan.pp > 1);
    SizeBlocks(llm, precision, admission.layout, load.length, stage);
    const std::int64_t whole = WholeBlocks(stage);
    const bool fewer = stage.block > Bytes(0)
                           ? whole < blocks
                           : stage.budget.room / std::max(Bytes(1), stage.sequence) <
                                 least.budget.room / std::max(Bytes(1), least.sequence);
    if (number > 0 && !fewer) continue;
    blocks = whole;
    decides = number;
    least = std::move(stage);
  }
  MemoryReport& report = step.memory;
  report.parameters = CountParameters(llm);
  report.kv = {};
  report.kv.engine = choice.engine->name;
  report.kv.layout = admission.layout;
  report.kv.memory_fraction = admission.fraction;
  report.kv.batched_tokens = admission.batched_tokens;
  report.kv.sequences = admission.sequences;
  FillReport(llm, precision, load, least, blocks, step);
  Judge(load, least, decides, memory, step);
}

}  // namespace roofcast
