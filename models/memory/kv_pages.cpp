// SPDX-License-Identifier: Apache-2.0
#include "models/memory/kv_pages.h"

#include <algorithm>
#include <cmath>

namespace roofcast {
namespace {

std::int64_t CeilDivide(std::int64_t value, std::int64_t by) {
  return (value + by - 1) / by;
}

// One kind of page of one layer: a layer's states share a page, and so do a latent and its indexer.
std::vector<KvEntry> PageEntries(const Llm& llm,
                                 const Layer& layer,
                                 std::int64_t tp,
                                 const Precision& precision,
                                 const KvLayout& layout) {
  std::vector<KvEntry> pages;
  for (const KvEntry& entry : KvEntriesOf(llm, layer, tp, precision, layout)) {
    const auto same = std::find_if(pages.begin(), pages.end(), [&](const KvEntry& page) {
      return page.IsFixed() == entry.IsFixed();
    });
    if (same == pages.end()) {
      pages.push_back(entry);
    } else {
      same->per_token += entry.per_token;
      same->per_sequence += entry.per_sequence;
    }
  }
  return pages;
}

// The types of a model with the layers of each, in order of first appearance.
struct TypeLayers {
  KvEntry entry;
  std::vector<std::int64_t> layers;
};
std::vector<TypeLayers> TypesOf(const Llm& llm,
                                std::int64_t tp,
                                const Precision& precision,
                                const KvLayout& layout) {
  std::vector<TypeLayers> types;
  std::vector<std::vector<KvEntry>> of_kind;
  of_kind.reserve(llm.kinds.size());
  for (const Layer& layer : llm.kinds) {
    of_kind.push_back(PageEntries(llm, layer, tp, precision, layout));
  }
  for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
    const auto kind = static_cast<std::size_t>(llm.layers[static_cast<std::size_t>(i)]);
    for (const KvEntry& entry : of_kind[kind]) {
      auto type = std::find_if(
          types.begin(), types.end(), [&](const TypeLayers& t) { return t.entry == entry; });
      if (type == types.end()) type = types.insert(types.end(), {entry, {}});
      type->layers.push_back(i);
    }
  }
  return types;
}

std::int64_t GroupSize(const std::vector<TypeLayers>& types) {
  std::size_t least = types.front().layers.size();
  std::size_t most = least;
  for (const TypeLayers& type : types) {
    least = std::min(least, type.layers.size());
    most = std::max(most, type.layers.size());
  }
  // Few enough layers of padding: one group of each type.
  const bool alike = 2 * most < 3 * least;
  return static_cast<std::int64_t>(alike ? most : least);
}

std::int64_t PagesOfType(const KvEntry& entry,
                         std::int64_t block,
                         const KvLayout& layout,
                         std::int64_t tokens) {
  if (entry.IsFixed()) return 1;
  if (!entry.IsWindowed()) return CeilDivide(tokens, block);
  const bool chunked = entry.kind == KvKind::kChunked;
  const std::int64_t seen = entry.window - (chunked ? 0 : 1) + layout.window_room;
  return CeilDivide(std::min(tokens, seen), block) + (chunked ? 0 : 1);
}

// The page that holds a block of every type and every state.
Bytes PageSize(const std::vector<TypeLayers>& types, std::int64_t block) {
  Bytes per_token;
  Bytes state;
  for (const TypeLayers& type : types) {
    per_token = std::max(per_token, type.entry.per_token);
    state = std::max(state, type.entry.per_sequence);
  }
  if (!(per_token > Bytes(0))) return state;
  const auto blocks = static_cast<std::int64_t>(std::ceil(state / (per_token * Number(block))));
  return per_token * Number(block * std::max<std::int64_t>(1, blocks));
}

// Tokens of a page of the type: the block times how often its bytes go into the page, where that is
// a whole number; else the page is padded.
std::int64_t BlockOf(const KvEntry& entry, Bytes page, std::int64_t block) {
  if (entry.IsFixed()) return 0;
  const double times = page / (entry.per_token * Number(block));
  return block * (times == std::floor(times) ? static_cast<std::int64_t>(times) : 1);
}

}  // namespace

std::int64_t PagedLayout::Groups() const {
  std::int64_t groups = 0;
  for (const PagedType& type : types) groups += type.groups;
  return groups;
}

std::int64_t PagedLayout::PagesOfSequence() const {
  std::int64_t pages = 0;
  for (const PagedType& type : types) pages += type.groups * type.pages;
  return pages;
}

std::int64_t PagedLayout::SmallestBlock() const {
  std::int64_t smallest = 0;
  for (const PagedType& type : types) {
    if (type.block > 0 && (smallest == 0 || type.block < smallest)) smallest = type.block;
  }
  return smallest;
}

PagedLayout PagesOf(const Llm& llm,
                    const RankShare& share,
                    const Precision& precision,
                    const KvLayout& layout,
                    std::int64_t tokens) {
  PagedLayout paged;
  const std::vector<TypeLayers> types = TypesOf(llm, share.tp, precision, layout);
  if (types.empty()) return paged;
  const std::int64_t size = GroupSize(types);
  paged.page = PageSize(types, layout.block);
  for (const TypeLayers& type : types) {
    PagedType out;
    out.entry = type.entry;
    out.block = BlockOf(type.entry, paged.page, layout.block);
    out.groups = CeilDivide(static_cast<std::int64_t>(type.layers.size()), size);
    out.pages = PagesOfType(type.entry, out.block, layout, tokens);
    std::vector<std::int64_t> on_rank(static_cast<std::size_t>(out.groups));
    for (std::size_t i = 0; i < type.layers.size(); ++i) {
      if (type.layers[i] < share.first_layer || type.layers[i] >= share.last_layer) continue;
      ++on_rank[i % on_rank.size()];
    }
    out.on_rank = *std::max_element(on_rank.begin(), on_rank.end());
    paged.layers = std::max(paged.layers, out.on_rank);
    paged.types.push_back(out);
  }
  return paged;
}

bool NeedsPages(const Llm& llm) {
  return llm.causal && (HasStates(llm) || HasWindows(llm));
}

}  // namespace roofcast
