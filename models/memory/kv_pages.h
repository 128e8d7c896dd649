// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/memory/kv_policy.h"

namespace roofcast {

// Layers of one model that cache alike, in pages of one size (KvPolicy::kHybrid).
struct PagedType {
  KvEntry entry;
  std::int64_t block = 0;    // tokens of a page of one layer
  std::int64_t groups = 0;   // page tables: layers are dealt out to them in turn
  std::int64_t pages = 0;    // that one sequence needs in each group
  std::int64_t on_rank = 0;  // layers of the type on the rank, of the fullest group
};

// Hybrid pages. All layers use pages of one size: that of the layer with the most bytes a block;
// where layers have a state the block grows until a page holds one, and smaller pages take more
// tokens, or are padded. Types are split into groups of as many layers as the rarest type has (the
// commonest, if it has less than half more), so that a page of any group is the same memory:
//   bytes of a sequence = page x layers of a group x sum over groups of pages of a sequence
// A windowed layer needs pages for min(tokens, window - 1 + room) (chunked: window + room), and one
// more since a window may start inside a page.
// Source: [vllm-kv-utils], [vllm-kv-interface]
// Range: page tables without prefix caching of states (one state a sequence)
struct PagedLayout {
  Bytes page;               // of one layer
  std::int64_t layers = 0;  // of a group on the rank: a block takes page x layers
  std::vector<PagedType> types;

  Bytes Block() const { return page * static_cast<double>(layers); }
  std::int64_t Groups() const;
  std::int64_t PagesOfSequence() const;  // in all groups together
  std::int64_t SmallestBlock() const;    // tokens
};
PagedLayout PagesOf(const Llm& llm,
                    const RankShare& share,
                    const Precision& precision,
                    const KvLayout& layout,
                    std::int64_t tokens);

// Whether hybrid pages differ from plain blocks: some layer has a window or a state.
bool NeedsPages(const Llm& llm);

}  // namespace roofcast
