// SPDX-License-Identifier: Apache-2.0
#include "models/memory/kv_policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "models/memory/kv_pages.h"

namespace roofcast {
namespace {

constexpr std::int64_t kNumbersPerScale = 128;  // of an indexer's key and of an 8-bit latent
constexpr double kScaleBytes = 4;
constexpr double kRotatedBytes = 2;

std::int64_t RoundUp(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

Bytes Scales(std::int64_t numbers) {
  return Number((numbers + kNumbersPerScale - 1) / kNumbersPerScale) * Bytes(kScaleBytes);
}

KvEntry LatentEntry(const AttentionLayer& attention,
                    std::int64_t tp,
                    const Precision& precision,
                    LatentForm form) {
  KvEntry entry;
  entry.kind = KvKind::kLatent;
  if (form == LatentForm::kExpanded) {
    const std::int64_t heads = std::max<std::int64_t>(1, attention.heads / tp);
    entry.per_token =
        Number(heads * (attention.head_dim + attention.value_dim)) * BytesOf(precision.kv);
    return entry;
  }
  entry.replicated = tp;
  const bool scaled = attention.index_heads > 0 && BytesOf(precision.kv) == Bytes(1);
  entry.per_token =
      scaled ? Number(attention.latent_rank) * Bytes(1) + Scales(attention.latent_rank) +
                   Number(attention.rotary_dim) * Bytes(kRotatedBytes)
             : Number(attention.latent_rank + attention.rotary_dim) * BytesOf(precision.kv);
  return entry;
}

KvEntry HeadsEntry(const AttentionLayer& attention, std::int64_t tp, const Precision& precision) {
  KvEntry entry;
  entry.kind = attention.kind == AttentionKind::kSliding   ? KvKind::kSliding
               : attention.kind == AttentionKind::kChunked ? KvKind::kChunked
                                                           : KvKind::kFull;
  entry.window = attention.IsWindowed() ? attention.window : 0;
  const std::int64_t heads = std::max<std::int64_t>(1, attention.kv_heads / tp);
  entry.per_token =
      Number(heads * (attention.head_dim + attention.value_dim)) * BytesOf(precision.kv);
  entry.replicated =
      attention.kv_heads > 0 ? std::max<std::int64_t>(1, tp / attention.kv_heads) : 1;
  return entry;
}

void AddStates(const RecurrentLayer& recurrent,
               std::int64_t tp,
               const Precision& precision,
               StateFormat format,
               std::vector<KvEntry>& entries) {
  if (recurrent.IsNone()) return;
  const Bytes element = BytesOf(format == StateFormat::kFp32 ? DType::kFp32 : precision.residual);
  KvEntry state;
  state.kind = KvKind::kState;
  state.per_sequence = Number(recurrent.StateNumbers()) / Number(tp) * element;
  entries.push_back(state);
  if (recurrent.ConvolutionNumbers() == 0) return;
  KvEntry tail;
  tail.kind = KvKind::kConvolution;
  tail.per_sequence =
      Number(recurrent.ConvolutionNumbers()) / Number(tp) * BytesOf(precision.residual);
  entries.push_back(tail);
}

constexpr std::array<std::string_view, 7> kKindNames = {"full attention",
                                                        "sliding attention",
                                                        "chunked attention",
                                                        "latent attention",
                                                        "indexer keys",
                                                        "recurrent states",
                                                        "convolution tails"};

// Bytes by kind, and on how many ranks each is held whole.
class KvSum {
 public:
  void Add(const KvEntry& entry, Bytes bytes) {
    const auto kind = static_cast<std::size_t>(entry.kind);
    bytes_[kind] += bytes;
    replicated_[kind] = std::max(replicated_[kind], entry.replicated);
  }
  Node Ledger() const {
    Node ledger = BytesNode("KV cache", Bytes(0));
    for (std::size_t kind = 0; kind < kKindNames.size(); ++kind) {
      if (!(bytes_[kind] > Bytes(0))) continue;
      std::string name(kKindNames[kind]);
      if (replicated_[kind] > 1) {
        name += ", replicated " + std::to_string(replicated_[kind]) + " times";
      }
      ledger.Add(BytesNode(std::move(name), bytes_[kind]));
    }
    return ledger;
  }

 private:
  std::array<Bytes, kKindNames.size()> bytes_{};
  std::array<std::int64_t, kKindNames.size()> replicated_{};
};

template <class Test>
bool AnyLayer(const Llm& llm, const Test& test) {
  return std::any_of(llm.kinds.begin(), llm.kinds.end(), test);
}

}  // namespace

std::vector<KvEntry> KvEntriesOf(const Llm& llm,
                                 const Layer& layer,
                                 std::int64_t tp,
                                 const Precision& precision,
                                 const KvLayout& layout) {
  std::vector<KvEntry> entries;
  if (!llm.causal) return entries;
  const AttentionLayer& attention = layer.attention;
  if (attention.kind == AttentionKind::kLatent) {
    entries.push_back(LatentEntry(attention, tp, precision, layout.latent));
  } else if (!attention.IsNone()) {
    entries.push_back(HeadsEntry(attention, tp, precision));
  }
  if (attention.index_heads > 0) {
    KvEntry indexer;
    indexer.kind = KvKind::kIndexer;
    indexer.per_token = Number(attention.index_dim) * Bytes(1) + Scales(attention.index_dim);
    indexer.replicated = tp;
    entries.push_back(indexer);
  }
  AddStates(layer.recurrent, tp, precision, layout.state, entries);
  return entries;
}

double KeptTokens(const KvEntry& entry, const KvLayout& layout, std::int64_t tokens) {
  const std::int64_t whole = RoundUp(tokens, layout.block);
  if (!entry.IsWindowed()) return Number(whole);
  switch (layout.policy) {
    case KvPolicy::kFull:
      return Number(whole);
    case KvPolicy::kPools:
      return std::min(1.0, layout.pool_share) * Number(whole);
    case KvPolicy::kWindow:
    case KvPolicy::kHybrid:
      break;
  }
  return Number(RoundUp(std::min(tokens, entry.window + layout.window_room), layout.block));
}

Node KvLedger(const Llm& llm,
              const RankShare& share,
              const Precision& precision,
              const KvLayout& layout,
              std::int64_t sequences,
              std::int64_t tokens) {
  KvSum sum;
  if (layout.policy == KvPolicy::kHybrid && NeedsPages(llm)) {
    const PagedLayout pages = PagesOf(llm, share, precision, layout, tokens);
    for (const PagedType& type : pages.types) {
      const double times = tokens > 0 ? Number(type.groups) * Number(type.pages) : 0;
      sum.Add(type.entry, times * Number(sequences) * pages.Block());
    }
    return sum.Ledger();
  }
  const std::vector<std::int64_t> count = llm.KindCounts(share.first_layer, share.last_layer);
  for (std::size_t kind = 0; kind < count.size(); ++kind) {
    for (const KvEntry& entry : KvEntriesOf(llm, llm.kinds[kind], share.tp, precision, layout)) {
      const Bytes fixed = tokens > 0 ? entry.per_sequence : Bytes(0);
      const Bytes each = entry.per_token * KeptTokens(entry, layout, tokens) + fixed;
      sum.Add(entry, each * Number(sequences) * Number(count[kind]));
    }
  }
  return sum.Ledger();
}

KvLine KvLineOf(const Llm& llm,
                const RankShare& share,
                const Precision& precision,
                const KvLayout& layout) {
  std::int64_t longest = 1;
  for (const Layer& layer : llm.kinds) longest = std::max(longest, layer.attention.window);
  // A multiple of every block beyond all windows; its double shows the slope.
  std::int64_t step = layout.block;
  if (layout.policy == KvPolicy::kHybrid && NeedsPages(llm)) {
    for (const PagedType& type : PagesOf(llm, share, precision, layout, 1).types) {
      step = std::max(step, type.block);
    }
  }
  const std::int64_t length = RoundUp(longest + layout.window_room + 1, step) * 16;
  const Bytes once = KvLedger(llm, share, precision, layout, 1, length).bytes;
  const Bytes twice = KvLedger(llm, share, precision, layout, 1, 2 * length).bytes;
  return {2.0 * once - twice, (twice - once) / Number(length)};
}

bool HasWindows(const Llm& llm) {
  return AnyLayer(llm, [](const Layer& layer) { return layer.attention.IsWindowed(); });
}

bool HasLatents(const Llm& llm) {
  return AnyLayer(
      llm, [](const Layer& layer) { return layer.attention.kind == AttentionKind::kLatent; });
}

bool HasStates(const Llm& llm) {
  return AnyLayer(llm, [](const Layer& layer) { return !layer.recurrent.IsNone(); });
}

}  // namespace roofcast
