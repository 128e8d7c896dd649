// SPDX-License-Identifier: Apache-2.0
#include "models/memory/kv_policy.h"
#include "models/memory/ledger.h"

namespace roofcast {

Node KvLedger(const Llm& llm,
              const RankShare& share,
              const Precision& precision,
              std::int64_t sequences,
              std::int64_t tokens) {
  return KvLedger(llm, share, precision, KvLayout{}, sequences, tokens);
}

Bytes KvBytesPerTokenOnRank(const Llm& llm, const RankShare& share, const Precision& precision) {
  return KvBytesPerTokenOnRank(llm, share, precision, KvLayout{});
}

Bytes KvBytesPerTokenOnRank(const Llm& llm,
                            const RankShare& share,
                            const Precision& precision,
                            const KvLayout& layout) {
  Bytes bytes;
  const std::vector<std::int64_t> count = llm.KindCounts(share.first_layer, share.last_layer);
  for (std::size_t kind = 0; kind < count.size(); ++kind) {
    for (const KvEntry& entry : KvEntriesOf(llm, llm.kinds[kind], share.tp, precision, layout)) {
      bytes += entry.per_token * Number(count[kind]);
    }
  }
  return bytes;
}

}  // namespace roofcast
