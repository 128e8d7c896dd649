// SPDX-License-Identifier: Apache-2.0
#include "models/steps/memory_report.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/units.h"
#include "models/memory/kv_policy.h"
#include "models/parallelism/stages.h"
#include "models/steps/admission.h"

namespace roofcast {
namespace {

std::int64_t WholeTimes(Bytes room, Bytes each) {
  if (!(room > Bytes(0)) || !(each > Bytes(0))) return 0;
  constexpr double kMost = 1e15;  // whole as a double, and far beyond any memory
  return static_cast<std::int64_t>(std::min(kMost, std::floor(room / each)));
}

// Reports the stage with the most bytes, and whether it fits.
void ReportFullest(const Llm& llm,
                   const Cluster& cluster,
                   const Plan& plan,
                   const std::function<Node(std::int64_t)>& ledger_of_stage,
                   StepTime& step) {
  MemoryReport& memory = step.memory;
  memory.parameters = CountParameters(llm);
  memory.capacity = cluster.device.memory.Visible();
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    Node ledger = ledger_of_stage(stage);
    if (stage == 0 || ledger.bytes > memory.bytes.bytes) {
      memory.bytes = std::move(ledger);
      memory.rank_stage = stage;
    }
  }
  memory.headroom = memory.capacity - memory.bytes.bytes;
  step.fits = memory.headroom >= Bytes(0);
  if (!step.fits) {
    step.why.push_back("does not fit, " + FormatGib(-memory.headroom) +
                       " over on each rank of stage " + std::to_string(memory.rank_stage) +
                       ": needs " + FormatGib(memory.bytes.bytes) + " of " +
                       FormatGib(memory.capacity));
  }
}

}  // namespace

RankShare ShareOf(const Llm& llm, const Plan& plan, std::int64_t stage) {
  const StageLayers layers = LayersOf(llm, plan, stage);
  return {
      plan.tp, layers.first, layers.last, stage == 0, stage == plan.pp - 1, plan.ep, MoeTpOf(plan)};
}

void ReportServingMemory(const Llm& llm,
                         const Cluster& cluster,
                         const Precision& precision,
                         const ServingMemory& load,
                         const Coefficients<double>& coefficients,
                         StepTime& step) {
  const Plan& plan = step.plan;
  const auto fixed = [&](std::int64_t stage) {
    const RankShare share = ShareOf(llm, plan, stage);
    Node ledger = BytesNode("device memory", Bytes(0));
    ledger.Add(WeightsLedger(llm, share, precision));
    ledger.Add(BytesNode("workspace",
                         InferenceWorkspace(llm, share, precision, load.tokens, load.logits)));
    ledger.Add(BytesNode("runtime", coefficients.memory.runtime));
    return ledger;
  };
  ReportFullest(
      llm,
      cluster,
      plan,
      [&](std::int64_t stage) {
        Node ledger = fixed(stage);
        ledger.Add(KvLedger(
            llm, ShareOf(llm, plan, stage), precision, load.layout, load.sequences, load.length));
        return ledger;
      },
      step);
  // Room for KV cache: the stage with the least of it decides.
  MemoryReport& memory = step.memory;
  memory.kv_length = load.length;
  memory.kv = {};
  memory.kv.layout = load.layout;
  for (std::int64_t stage = 0; stage < plan.pp; ++stage) {
    const RankShare share = ShareOf(llm, plan, stage);
    const Bytes room = memory.capacity - fixed(stage).bytes;
    const Bytes each = KvBytesPerTokenOnRank(llm, share, precision, load.layout);
    const Bytes sequence = KvLedger(llm, share, precision, load.layout, 1, load.length).bytes;
    // Of sequences of this length: windowed layers take less a token than a full reservation.
    const std::int64_t tokens = WholeTimes(room, sequence / Number(load.length));
    const std::int64_t concurrency = WholeTimes(room, sequence);
    memory.kv_bytes_per_token = std::max(memory.kv_bytes_per_token, each);
    memory.kv_tokens = stage == 0 ? tokens : std::min(memory.kv_tokens, tokens);
    memory.kv_concurrency = stage == 0 ? concurrency : std::min(memory.kv_concurrency, concurrency);
    if (stage > 0 && !(sequence > memory.kv.request)) continue;
    const KvLine line = KvLineOf(llm, share, precision, load.layout);
    memory.kv.request = sequence;
    memory.kv.fixed = line.fixed;
    memory.kv.per_token = line.per_token;
    memory.kv.pool = std::max(Bytes(0), room);
    memory.kv.concurrency = sequence > Bytes(0) ? memory.kv.pool / sequence : 0;
    memory.kv.by_policy = BytesByPolicy(llm, share, precision, load.layout, load.length);
    memory.kv.name = memory.kv.by_policy.front().name;
  }
}

}  // namespace roofcast
