// SPDX-License-Identifier: Apache-2.0
// KV cache bytes against figures that others published.
#include <doctest/doctest.h>

#include "models/llm/config.h"
#include "models/memory/ledger.h"

namespace roofcast {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

RankShare Whole(const Llm& llm, std::int64_t tp = 1) {
  return {tp, 0, llm.LayerCount(), true, true};
}
Bytes Cached(const char* model, std::int64_t sequences, std::int64_t tokens, std::int64_t tp = 1) {
  const Llm llm = LoadLlm(model);
  return KvLedger(llm, Whole(llm, tp), Precision{}, sequences, tokens).bytes;
}
Bytes PerToken(const char* model, std::int64_t tp = 1) {
  const Llm llm = LoadLlm(model);
  return KvBytesPerTokenOnRank(llm, Whole(llm, tp), Precision{});
}

}  // namespace

TEST_CASE("Llama-2-70B caches 1,342,177,280 bytes for 4096 tokens") {
  // https://github.com/hahnyuan/LLM-Viewer/issues/12
  CHECK(Cached("llama-2-70b", 1, 4096) == Bytes(1'342'177'280));
}

TEST_CASE("Qwen3-4B caches 147,456 bytes a token") {
  CHECK(PerToken("qwen3-4b") == Bytes(147'456));
}

TEST_CASE("gpt-oss-20b: 12 GiB reserved in full, 6.09375 GiB where windows are capped") {
  // hf-mem, pull request 70: 8192 tokens of 32 sequences.
  CHECK(PerToken("gpt-oss-20b") * (8192.0 * 32) == Bytes(12 * kGib));
  const Llm llm = LoadLlm("gpt-oss-20b");
  const Node ledger = KvLedger(llm, Whole(llm), Precision{}, 32, 8192);
  CHECK(ledger.bytes == Bytes(6.09375 * kGib));
  CHECK(FindChild(ledger, "full attention")->bytes == Bytes(6 * kGib));
  CHECK(FindChild(ledger, "sliding attention")->bytes == Bytes(0.09375 * kGib));
  // Below the window nothing is capped.
  CHECK(Cached("gpt-oss-20b", 1, 100) == 100 * PerToken("gpt-oss-20b"));
}

TEST_CASE("DeepSeek-V3 caches one latent a layer: 4.289 GiB at 65,536 tokens on every rank") {
  CHECK(Cached("deepseek-v3", 1, 65'536) == Bytes(61.0 * (512 + 64) * 2 * 65'536));
  CHECK(Cached("deepseek-v3", 1, 65'536) / Bytes(kGib) == doctest::Approx(4.289).epsilon(1e-4));
  CHECK(Cached("deepseek-v3", 1, 65'536, 8) == Cached("deepseek-v3", 1, 65'536));
}

TEST_CASE("tp splits KV heads until each rank has one, then replicates it") {
  const double layer = 94.0 * 128 * 2 * 2;  // Qwen3-235B: 94 layers, 4 KV heads of 128
  for (const std::int64_t tp : {1, 2, 4, 8, 16}) {
    CAPTURE(tp);
    const double heads = tp < 4 ? 4.0 / static_cast<double>(tp) : 1;
    CHECK(PerToken("qwen3-235b-a22b", tp) == Bytes(layer * heads));
  }
}

TEST_CASE("stages cache their own layers, sequences add up, a narrower format takes less") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  const Bytes whole = KvLedger(llm, Whole(llm), Precision{}, 7, 1000).bytes;
  const Bytes first = KvLedger(llm, {1, 0, 20, true, false}, Precision{}, 7, 1000).bytes;
  const Bytes last = KvLedger(llm, {1, 20, 32, false, true}, Precision{}, 7, 1000).bytes;
  CHECK(first + last == whole);
  CHECK(whole == 7000 * PerToken("llama-3.1-8b"));
  Precision narrow;
  narrow.kv = DType::kFp8;
  CHECK(2 * KvLedger(llm, Whole(llm), narrow, 7, 1000).bytes == whole);
  CHECK(KvLedger(llm, Whole(llm), Precision{}, 7, 0).bytes == Bytes(0));
}

}  // namespace roofcast
