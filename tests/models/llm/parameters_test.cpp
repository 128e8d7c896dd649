// SPDX-License-Identifier: Apache-2.0
#include "models/llm/parameters.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>

#include "models/llm/config.h"

namespace roofcast {
namespace {

struct Published {
  const char* name;
  std::int64_t total;       // text backbone
  std::int64_t active;      // embeddings and head included
  std::int64_t active_out;  // without the input embedding
  std::int64_t checkpoint;  // with MTP, vision, buffers and scales
  std::int64_t kv_bytes;    // a token, bf16
};

// Totals: safetensors totals of the Hugging Face Hub, which say how many numbers a checkpoint
// holds; for DeepSeek, Llama 2 and models that see they are the last column. Llama-3.1-405B, the
// small Llama 3.2, Mixtral-8x22B, Qwen2.5-32B, Qwen3-0.6B and Gemma-2-2B: their model cards, which
// round. Active parameters: the cards count with embeddings (Mixtral 12.9B, Qwen3-30B-A3B 3.3B) or
// without (gpt-oss 3.6B and 5.1B, DeepSeek-V3 37B, Kimi-K2 32B).
constexpr Published kPublished[] = {
    {"llama-2-7b", 6738415616, 6738415616, 6607343616, 6738417664, 524288},
    {"llama-2-13b", 13015864320, 13015864320, 12852024320, 13015866880, 819200},
    {"llama-2-70b", 68976648192, 68976648192, 68714504192, 68976653312, 327680},
    {"llama-3.1-8b", 8030261248, 8030261248, 7504924672, 8030261248, 131072},
    {"llama-3.1-70b", 70553706496, 70553706496, 69503033344, 70553706496, 327680},
    {"llama-3.1-405b", 405853388800, 405853388800, 403752042496, 405853388800, 516096},
    {"llama-3.2-1b", 1235814400, 1235814400, 1235814400, 1235814400, 32768},
    {"llama-3.2-3b", 3212749824, 3212749824, 3212749824, 3212749824, 114688},
    {"llama-3.3-70b", 70553706496, 70553706496, 69503033344, 70553706496, 327680},
    {"mistral-7b", 7241732096, 7241732096, 7110660096, 7241732096, 131072},
    {"mistral-7b-v0.3", 7248023552, 7248023552, 7113805824, 7248023552, 131072},
    {"mixtral-8x7b", 46702792704, 12879925248, 12748853248, 46702792704, 131072},
    {"mixtral-8x22b", 140620634112, 39152031744, 38955423744, 140620634112, 229376},
    {"qwen2.5-0.5b", 494032768, 494032768, 494032768, 494032768, 12288},
    {"qwen2.5-1.5b", 1543714304, 1543714304, 1543714304, 1543714304, 28672},
    {"qwen2.5-7b", 7615616512, 7615616512, 7070619136, 7615616512, 57344},
    {"qwen2.5-14b", 14770033664, 14770033664, 13991465984, 14770033664, 196608},
    {"qwen2.5-32b", 32763876352, 32763876352, 31985308672, 32763876352, 262144},
    {"qwen2.5-72b", 72706203648, 72706203648, 71460495360, 72706203648, 327680},
    {"qwen3-0.6b", 596049920, 596049920, 596049920, 596049920, 114688},
    {"qwen3-1.7b", 1720574976, 1720574976, 1720574976, 1720574976, 114688},
    {"qwen3-4b", 4022468096, 4022468096, 4022468096, 4022468096, 147456},
    {"qwen3-8b", 8190735360, 8190735360, 7568405504, 8190735360, 147456},
    {"qwen3-14b", 14768307200, 14768307200, 13990394880, 14768307200, 163840},
    {"qwen3-32b", 32762123264, 32762123264, 31984210944, 32762123264, 262144},
    {"qwen3-30b-a3b", 30532122624, 3353032704, 3041867776, 30532122624, 98304},
    {"qwen3-235b-a22b", 235093634560, 22190763520, 21568433664, 235093634560, 192512},
    {"gemma-2-2b", 2614341888, 2614341888, 2614341888, 2614341888, 106496},
    {"gemma-2-9b", 9241705984, 9241705984, 9241705984, 9241705984, 344064},
    {"gemma-2-27b", 27227128320, 27227128320, 27227128320, 27227128320, 376832},
    {"gemma-3-1b", 999885952, 999885952, 999885952, 999885952, 26624},
    {"gemma-3-4b", 3880263168, 3880263168, 3880263168, 4300079472, 139264},
    {"gemma-3-12b", 11766034176, 11766034176, 11766034176, 12187325040, 393216},
    {"gemma-3-27b", 27009346304, 27009346304, 27009346304, 27432406640, 507904},
    {"gpt-oss-20b", 20914757184, 4187440704, 3608307264, 20914757184, 49152},
    {"gpt-oss-120b", 116829156672, 5711982912, 5132849472, 116829156672, 73728},
    {"deepseek-v2", 235741434880, 21375800320, 20851512320, 235741434880, 69120},
    {"deepseek-v2-lite", 15706484224, 2661150208, 2451435008, 15706484224, 31104},
    {"deepseek-v3", 671026419200, 37552297472, 36625618432, 684531386000, 70272},
    {"deepseek-r1", 671026419200, 37552297472, 36625618432, 684531386000, 70272},
    {"llama-4-scout", 107769861120, 17172894720, 16138408960, 108641793536, 196608},
    {"llama-4-maverick", 400711848960, 17184691200, 16150205440, 401583781376, 196608},
    {"llava-1.5-7b", 6738939904, 6738939904, 6607605760, 7063427072, 524288},
    {"mistral-small-3.1-24b", 23572403200, 23572403200, 22901314560, 24011361280, 163840},
    {"qwen2.5-vl-7b", 7615616512, 7615616512, 7070619136, 8292166656, 57344},
    {"qwen3-vl-8b", 8190735360, 8190735360, 7568405504, 8767123696, 147456},
    {"gemma-4-26b-a4b", 25233141790, 3822530590, 3822530590, 25805936206, 225280},
    {"internvl3-8b", 7612820992, 7612820992, 7069221376, 7944373760, 57344},
    // Derived from the tensors of the classes: their cards round, to 12.7B and 73.4B.
    {"pixtral-12b", 12247782400, 12247782400, 11576693760, 12682739712, 163840},
    {"qwen2.5-vl-72b", 72706203648, 72706203648, 71460495360, 73410777344, 327680},
    // The Hub says 1026408235864, without the scales: 3416 more than the backbone, unexplained.
    {"kimi-k2", 1026408232448, 32861500928, 31687095808, 1026470727640, 70272},
    // Hub totals: Phi-3 and 4, Pythia, StarCoder2, OLMo 2, InternLM2, Nemotron-Super
    // (49,867,145,216), and Falcon-180B (179,522,565,120 with the tied table stored twice). What
    // the class counts: GPT-2, GLM-4. keras-hub presets: Gemma, ViT. Cards: BLOOM; BERT, whose
    // checkpoints hold the pooler and the sentence head too (110,106,428 and 336,226,108).
    // Granite 3.1: the Hub's 8,170,864,640 of 3.3 less four tokens. The others are computed from
    // the class's tensors.
    {"phi-2", 2779683840, 2779683840, 2648611840, 2779683840, 327680},
    {"phi-3-mini", 3821079552, 3821079552, 3722578944, 3821079552, 393216},
    {"phi-4", 14659507200, 14659507200, 14145704960, 14659507200, 204800},
    {"phi-4-mini", 3836021760, 3836021760, 3836021760, 3836021760, 131072},
    {"falcon-7b", 6921720704, 6921720704, 6921720704, 6921720704, 8192},
    {"falcon-40b", 41303293952, 41303293952, 41303293952, 41303293952, 122880},
    {"falcon-180b", 178557088768, 178557088768, 178557088768, 178557088768, 163840},
    {"opt-6.7b", 6658473984, 6658473984, 6658473984, 6658473984, 524288},
    {"opt-175b", 174604468224, 174604468224, 174604468224, 174604468224, 4718592},
    {"bloom-7b1", 7069016064, 7069016064, 7069016064, 7069016064, 491520},
    {"bloom", 176247271424, 176247271424, 176247271424, 176247271424, 4014080},
    {"gpt2", 124439808, 124439808, 124439808, 124439808, 36864},
    {"gpt2-xl", 1557611200, 1557611200, 1557611200, 1557611200, 307200},
    {"pythia-6.9b", 6857302016, 6857302016, 6650732544, 6857302016, 524288},
    {"mpt-7b", 6649286656, 6649286656, 6649286656, 6649286656, 524288},
    {"starcoder2-15b", 15957889024, 15957889024, 15655899136, 15957889024, 81920},
    {"olmo-2-7b", 7298617344, 7298617344, 6887575552, 7298617344, 524288},
    {"granite-3.1-8b", 8170848256, 8170848256, 8170848256, 8170848256, 163840},
    {"command-r", 34980831232, 34980831232, 34980831232, 34980831232, 1310720},
    {"command-r-plus", 103810674688, 103810674688, 103810674688, 103810674688, 262144},
    {"gemma-2b", 2506172416, 2506172416, 2506172416, 2506172416, 18432},
    {"gemma-7b", 8537680896, 8537680896, 8537680896, 8537680896, 458752},
    {"internlm2-7b", 7737708544, 7737708544, 7358648320, 7737708544, 131072},
    {"glm-4-9b", 9399951360, 9399951360, 8779194368, 9399951360, 40960},
    {"llama-3.3-nemotron-super-49b", 49867145216, 49867145216, 48816472064, 49867145216, 200704},
    {"bert-base-uncased", 109514298, 109514298, 109514298, 109514298, 0},
    {"bert-large-uncased", 335174458, 335174458, 335174458, 335174458, 0},
    {"vit-large", 303301632, 303301632, 302311424, 304351232, 0},
};

}  // namespace

TEST_CASE("parameter counts and KV bytes of the zoo equal the published ones to the digit") {
  for (const Published& row : kPublished) {
    CAPTURE(row.name);
    const Llm llm = LoadLlm(row.name);
    const ParameterCounts counts = CountParameters(llm);
    CHECK(counts.total == row.total);
    CHECK(counts.active_with_embeddings == row.active);
    CHECK(counts.active_without_input_embedding == row.active_out);
    CHECK(counts.checkpoint_total == row.checkpoint);
    CHECK(KvBytesPerToken(llm, DType::kBf16).value() == static_cast<double>(row.kv_bytes));
  }
}

TEST_CASE("the parts of a model sum to its total") {
  for (const Published& row : kPublished) {
    CAPTURE(row.name);
    const ParameterCounts counts = CountParameters(LoadLlm(row.name));
    std::int64_t sum = 0;
    for (const auto& [part, parameters] : counts.by_part) sum += parameters;
    CHECK(sum == counts.total);
  }
}

TEST_CASE("what a checkpoint has beside the text backbone is named and counted") {
  using Extras = std::map<std::string, std::int64_t>;
  // 13,463,426,304 and 41,540,496: DeepSeek-V3's card (MTP module) and its F32 tensors.
  CHECK(CountParameters(LoadLlm("deepseek-v3")).extra ==
        Extras{{"mtp", 13463426304}, {"scales", 41540496}});
  CHECK(CountParameters(LoadLlm("gemma-3-4b")).extra ==
        Extras{{"vision tower", 416866032}, {"vision projector", 2950272}});
  // 871,932,416 together, which is what the published totals of Scout and Maverick leave.
  CHECK(CountParameters(LoadLlm("llama-4-scout")).extra ==
        Extras{{"vision tower", 850960896}, {"vision projector", 20971520}});
  CHECK(CountParameters(LoadLlm("llama-2-7b")).extra == Extras{{"rotary buffers", 2048}});
  CHECK(CountParameters(LoadLlm("gpt-oss-20b")).extra.empty());
}

TEST_CASE("checkpoint bytes equal the published sizes") {
  const auto bytes_of = [](const char* name) {
    return CountParameters(LoadLlm(name)).checkpoint_bytes.value();
  };
  // Hub: BF16 3,918,786,560 x 2 + F8_E4M3 680,571,043,840 + F32 41,555,600 x 4.
  CHECK(bytes_of("deepseek-v3") == 688574839360.0);
  // Safetensors headers of openai/gpt-oss-120b, read by hf-mem (alvarobartt/hf-mem#60).
  CHECK(bytes_of("gpt-oss-120b") == 65248815744.0);
  // total_size of the index files of meta-llama/Llama-2-7b-hf: fp16 weights, fp32 buffers.
  CHECK(bytes_of("llama-2-7b") == 13476839424.0);
}

TEST_CASE("matrix FLOPs of a Llama-2-7B token follow MaxText's count of learnable weights") {
  // MaxText (AI-Hypercomputer/maxtext#1670): 40.593883398144 TFLOP forward and backward for 4
  // sequences of 256.
  const double tokens = 4 * 256;
  const double forward = MatmulFlopsPerToken(LoadLlm("llama-2-7b")).value();
  CHECK(3 * tokens * forward == doctest::Approx(40.593883398144e12).epsilon(1e-14));
}

TEST_CASE("a tied head is multiplied though it has no weights of its own") {
  Llm llm = LoadLlm("llama-3.2-1b");
  const ParameterCounts tied = CountParameters(llm);
  const double flops = MatmulFlopsPerToken(llm).value();
  CHECK(tied.by_part.at("head") == 0);
  llm.tied_embeddings = false;
  const std::int64_t table = llm.vocabulary * llm.hidden;
  CHECK(CountParameters(llm).total == tied.total + table);
  CHECK(MatmulFlopsPerToken(llm).value() == flops);
}

TEST_CASE("the KV cache shrinks with its number format") {
  const Llm llm = LoadLlm("llama-3.1-8b");
  CHECK(KvBytesPerToken(llm, DType::kFp8).value() == 65536);
  CHECK(KvBytesPerToken(llm, DType::kFp4).value() == 32768);
}

}  // namespace roofcast
