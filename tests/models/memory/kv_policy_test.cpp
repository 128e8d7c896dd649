// SPDX-License-Identifier: Apache-2.0
// KV cache by policy against figures that others published.
#include "models/memory/kv_policy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "models/llm/config.h"
#include "models/memory/kv_pages.h"

namespace roofcast {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

RankShare Whole(const Llm& llm, std::int64_t tp = 1) {
  return {tp, 0, llm.LayerCount(), true, true};
}
Bytes Cached(const Llm& llm,
             const KvLayout& layout,
             std::int64_t sequences,
             std::int64_t tokens,
             const Precision& precision = {}) {
  return KvLedger(llm, Whole(llm), precision, layout, sequences, tokens).bytes;
}
Bytes PerToken(const Llm& llm, const KvLayout& layout = {}, std::int64_t tp = 1) {
  return KvBytesPerTokenOnRank(llm, Whole(llm, tp), Precision{}, layout);
}

KvLayout With(KvPolicy policy, std::int64_t block = 1, std::int64_t room = 0) {
  KvLayout layout;
  layout.policy = policy;
  layout.block = block;
  layout.window_room = room;
  return layout;
}

Layer Attention(std::int64_t heads, std::int64_t kv_heads, std::int64_t head_dim) {
  Layer layer;
  layer.attention.heads = heads;
  layer.attention.kv_heads = kv_heads;
  layer.attention.head_dim = head_dim;
  layer.attention.value_dim = head_dim;
  return layer;
}
Layer Latent(std::int64_t heads, std::int64_t index_heads = 0) {
  Layer layer = Attention(heads, heads, 192);
  layer.attention.kind = AttentionKind::kLatent;
  layer.attention.value_dim = 128;
  layer.attention.latent_rank = 512;
  layer.attention.rotary_dim = 64;
  layer.attention.index_heads = index_heads;
  layer.attention.index_dim = index_heads > 0 ? 128 : 0;
  return layer;
}
Layer Delta() {  // of Qwen3-Next: 32 value heads and 16 key heads of 128, 4 taps
  Layer layer;
  layer.attention.kind = AttentionKind::kNone;
  layer.recurrent = {.kind = RecurrentKind::kGatedDelta,
                     .heads = 32,
                     .head_dim = 128,
                     .key_heads = 16,
                     .state_dim = 128,
                     .taps = 4};
  return layer;
}

// 48 layers, every fourth with attention: 2 KV heads of 256.
Llm QwenNext() {
  Llm llm;
  llm.name = "qwen3-next";
  for (int i = 0; i < 48; ++i) llm.Append(i % 4 == 3 ? Attention(16, 2, 256) : Delta());
  return llm;
}

}  // namespace

TEST_CASE("Llama-2-70B reads 1,342,177,280 bytes for 4096 tokens, 327,680 a token") {
  // https://github.com/hahnyuan/LLM-Viewer/issues/12
  const Llm llm = LoadLlm("llama-2-70b");
  CHECK(PerToken(llm) == Bytes(327'680));
  CHECK(Cached(llm, {}, 1, 4096) == Bytes(1'342'177'280));
}

TEST_CASE("Llama-2-7B caches 524,288 bytes a token, Qwen3-4B 147,456") {
  // https://github.com/jranaraki/vllm-fit/issues/2, https://github.com/LMCache/LMCache/issues/688
  CHECK(PerToken(LoadLlm("llama-2-7b")) == Bytes(524'288));
  CHECK(PerToken(LoadLlm("qwen3-4b")) == Bytes(147'456));
}

TEST_CASE("gpt-oss-20b takes 12 GiB by full reservation and 6.09375 GiB by windows") {
  // https://github.com/alvarobartt/hf-mem/pull/70: 32 sequences of 8192 tokens.
  const Llm llm = LoadLlm("gpt-oss-20b");
  CHECK(Cached(llm, With(KvPolicy::kFull), 32, 8192) == Bytes(12 * kGib));
  CHECK(Cached(llm, With(KvPolicy::kFull, 16), 32, 8192) == Bytes(12 * kGib));
  CHECK(Cached(llm, With(KvPolicy::kWindow), 32, 8192) == Bytes(6.09375 * kGib));
  CHECK(Cached(llm, With(KvPolicy::kWindow, 16), 32, 8192) == Bytes(6.09375 * kGib));
}

TEST_CASE("hybrid pages keep the window, one pass and a page more: 12 of 12 layers a group") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  const PagedLayout pages =
      PagesOf(llm, Whole(llm), Precision{}, With(KvPolicy::kHybrid, 16, 2048), 8192);
  CHECK(pages.layers == 12);
  CHECK(pages.Groups() == 2);
  CHECK(pages.page == Bytes(16.0 * 2 * 8 * 64 * 2));
  // 8192 / 16 pages, and those of 127 + 2048 tokens and one more.
  CHECK(pages.PagesOfSequence() == 512 + 136 + 1);
  CHECK(Cached(llm, With(KvPolicy::kHybrid, 16, 2048), 1, 8192) ==
        Number(512 + 137) * pages.Block());
  // A pass as long as the sequence caps nothing: a full reservation and a page.
  CHECK(Cached(llm, With(KvPolicy::kHybrid, 16, 8192), 1, 8192) ==
        Cached(llm, With(KvPolicy::kFull, 16), 1, 8192) + pages.Block());
}

TEST_CASE("pools give windowed layers a share of the others' tokens") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  KvLayout layout = With(KvPolicy::kPools);
  layout.pool_share = 0.8;
  CHECK(Cached(llm, layout, 1, 10'000) == 1.8 / 2 * Cached(llm, With(KvPolicy::kFull), 1, 10'000));
}

TEST_CASE("DeepSeek-V3 takes 4.289 GiB absorbed and 305 GiB expanded at 65,536 tokens") {
  // https://github.com/gpustack/gguf-parser-go/issues/8
  const Llm llm = LoadLlm("deepseek-v3");
  KvLayout layout;
  CHECK(Cached(llm, layout, 1, 65'536) / Bytes(kGib) == doctest::Approx(4.289).epsilon(1e-4));
  layout.latent = LatentForm::kExpanded;
  CHECK(Cached(llm, layout, 1, 65'536) == Bytes(305 * kGib));
}

TEST_CASE("keys and values by hidden / heads would be 24.89 times DeepSeek-V3.2's latents") {
  // https://github.com/NVIDIA/TensorRT-LLM/pull/16707: 2 x 61 x 128 x 7168 / 128 numbers, bf16.
  Llm llm;
  for (int i = 0; i < 61; ++i) llm.Append(Latent(128));
  CHECK(Bytes(2.0 * 61 * 128 * 56 * 2) / PerToken(llm) == doctest::Approx(24.89).epsilon(0.005));
}

TEST_CASE("an indexer caches 132 bytes a token and layer, and 8-bit latents beside it take 656") {
  // vllm-project/vllm@001cabc: vllm/v1/kv_cache_interface.py, and the indexer's cache of V3.2.
  Llm llm;
  llm.Append(Latent(128, 64));
  const RankShare rank{8, 0, 1, true, true};
  const Node ledger = KvLedger(llm, rank, Precision{}, KvLayout{}, 1, 100);
  CHECK(ledger.bytes == Bytes(100.0 * (576 * 2 + 132)));
  CHECK(FindChild(ledger, "indexer keys, replicated 8 times")->bytes == Bytes(13'200));
  CHECK(FindChild(ledger, "latent attention, replicated 8 times")->bytes == Bytes(115'200));
  Precision narrow;
  narrow.kv = DType::kFp8;
  CHECK(KvLedger(llm, rank, narrow, KvLayout{}, 1, 1).bytes == Bytes(656 + 132));
}

TEST_CASE("Qwen3-235B-A22B on four ranks: 8.234 GiB of keys and of values for 367,404 tokens") {
  // https://github.com/vllm-project/vllm/issues/21348; a rank has one KV head, with eight ranks
  // too.
  const Llm llm = LoadLlm("qwen3-235b-a22b");
  const Bytes both = PerToken(llm, {}, 4) * 367'404.0;
  CHECK(both / Bytes(2 * kGib) == doctest::Approx(8.234).epsilon(1e-3));
  CHECK(PerToken(llm, {}, 8) == PerToken(llm, {}, 4));
  const Node ledger = KvLedger(llm, Whole(llm, 8), Precision{}, KvLayout{}, 1, 10);
  CHECK(FindChild(ledger, "full attention, replicated 2 times") != nullptr);
}

TEST_CASE("Kimi-K3 caches 27,648 bytes a token: 24 of its 93 layers") {
  // https://github.com/inference-sim/inference-sim/issues/1635
  Llm llm;
  for (int i = 0; i < 93; ++i) llm.Append(i < 24 ? Latent(64) : Delta());
  CHECK(PerToken(llm) == Bytes(27'648));
}

TEST_CASE("Qwen3-Next caches 24,576 bytes a token, and a state for each sequence") {
  // https://github.com/NVIDIA/TensorRT-LLM/pull/9072
  const Llm llm = QwenNext();
  CHECK(PerToken(llm) == Bytes(24'576));
  const KvLine line = KvLineOf(llm, Whole(llm), Precision{}, KvLayout{});
  CHECK(line.per_token == Bytes(24'576));
  const double state = 32.0 * 128 * 128 * 4;          // fp32
  const double tail = 3.0 * (2 * 16 + 32) * 128 * 2;  // bf16
  CHECK(line.fixed == Bytes(36 * (state + tail)));
  const Node ledger = KvLedger(llm, Whole(llm), Precision{}, KvLayout{}, 3, 1000);
  CHECK(FindChild(ledger, "recurrent states")->bytes == Bytes(3 * 36 * state));
  CHECK(FindChild(ledger, "convolution tails")->bytes == Bytes(3 * 36 * tail));
  CHECK(KvLedger(llm, Whole(llm, 4), Precision{}, KvLayout{}, 3, 1000).bytes.value() <
        ledger.bytes.value());
}

TEST_CASE("MiniMax-M2 caches 24,964,497,408 bytes of 196,608 tokens in 8 bits") {
  // https://github.com/alvarobartt/hf-mem, README
  Llm llm;
  for (int i = 0; i < 62; ++i) llm.Append(Attention(48, 8, 128));
  Precision narrow;
  narrow.kv = DType::kFp8;
  CHECK(Cached(llm, {}, 1, 196'608, narrow) == Bytes(24'964'497'408));
}

TEST_CASE("memory / tokens of a hybrid model is no constant, fixed + slope is") {
  // https://github.com/vllm-project/vllm/issues/51041: tokens are concurrency x length there.
  const Llm llm = QwenNext();
  for (const KvPolicy policy : {KvPolicy::kWindow, KvPolicy::kHybrid}) {
    const KvLayout layout = With(policy, 16, 8192);
    const KvLine line = KvLineOf(llm, Whole(llm), Precision{}, layout);
    CHECK(line.fixed > Bytes(0));
    std::vector<double> ratio;
    for (const std::int64_t length : {4096, 32'768, 262'144}) {
      ratio.push_back((Cached(llm, layout, 1, length) / Bytes(1)) / Number(length));
    }
    CHECK(ratio[0] > 1.5 * ratio[2]);
    // The line holds at every whole page.
    std::int64_t step = 16;
    if (policy == KvPolicy::kHybrid) {
      for (const PagedType& type : PagesOf(llm, Whole(llm), Precision{}, layout, 1).types) {
        step = std::max(step, type.block);
      }
    }
    for (const std::int64_t pages : {100, 1000}) {
      const Bytes whole = Cached(llm, layout, 1, pages * step);
      CHECK(whole.value() ==
            doctest::Approx((line.fixed + line.per_token * Number(pages * step)).value()));
    }
  }
}

TEST_CASE("pages grow until they hold a state, in blocks of 16 tokens") {
  const Llm llm = QwenNext();
  const PagedLayout pages =
      PagesOf(llm, Whole(llm), Precision{}, With(KvPolicy::kHybrid, 16), 10'000);
  const double state = 32.0 * 128 * 128 * 4 + 3.0 * 64 * 128 * 2;
  const double per_token = 2.0 * 2 * 256 * 2;
  CHECK(pages.page == Bytes(std::ceil(state / (16 * per_token)) * 16 * per_token));
  CHECK(pages.layers == 12);
  CHECK(pages.Groups() == 4);
}

TEST_CASE("pipeline stages have pages for the layers that they have of a group") {
  const Llm llm = LoadLlm("gpt-oss-20b");
  const KvLayout layout = With(KvPolicy::kHybrid, 16, 2048);
  const Bytes whole = Cached(llm, layout, 1, 8192);
  const Bytes half = KvLedger(llm, {1, 0, 12, true, false}, Precision{}, layout, 1, 8192).bytes;
  CHECK(2.0 * half == whole);
}

TEST_CASE("windows and chunks keep whole blocks of at most the sequence") {
  Llm llm;
  Layer layer = Attention(8, 8, 64);
  layer.attention.kind = AttentionKind::kChunked;
  layer.attention.window = 1000;
  llm.Append(layer);
  const double per_token = 2.0 * 8 * 64 * 2;
  CHECK(Cached(llm, With(KvPolicy::kWindow, 16), 1, 100) == Bytes(112 * per_token));
  CHECK(Cached(llm, With(KvPolicy::kWindow, 16), 1, 100'000) == Bytes(1008 * per_token));
  CHECK(Cached(llm, With(KvPolicy::kWindow, 256, 512), 1, 100'000) == Bytes(1536 * per_token));
  CHECK(FindChild(KvLedger(llm, Whole(llm), Precision{}, {}, 1, 10), "chunked attention") !=
        nullptr);
}

TEST_CASE("an encoder caches nothing") {
  Llm llm;
  llm.causal = false;
  llm.Append(Attention(12, 12, 64));
  CHECK(Cached(llm, {}, 1, 512) == Bytes(0));
  CHECK(PerToken(llm) == Bytes(0));
  CHECK_FALSE(NeedsPages(llm));
}

}  // namespace roofcast
