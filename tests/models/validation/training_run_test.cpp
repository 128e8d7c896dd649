// SPDX-License-Identifier: Apache-2.0
#include "models/validation/training_run.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "models/llm/parameters.h"
#include "models/validation/source_profile.h"
#include "tests/models/validation/table.h"

namespace roofcast {
namespace {

using testing::Cells;
using testing::PlaybookRow;
using testing::With;

TrainingRun RunOf(const Cells& row) {
  Facts facts = testing::FactsOf(row);
  CompleteFacts(facts);
  return ReadTrainingRun(facts);
}

}  // namespace

TEST_CASE("A run has the model and plan of its row") {
  const TrainingRun run = RunOf(With(
      PlaybookRow(), {{"num_gpus", "16"}, {"tp", "2"}, {"pp", "2"}, {"dp", "4"}, {"zero", "1"}}));
  // 131072 x 2048 + 16 (4 x 2048^2 + 3 x 2048 x 8192 + 2 x 2048) + 2048, embeddings tied.
  CHECK(CountParameters(run.llm).total == 1'342'244'864);
  CHECK(FormatPlan(run.plan) == "tp2-pp2-dp4");
  CHECK(run.plan.zero == 1);
  CHECK(run.plan.stages == StageRule::kByCost);
  CHECK(run.micro_batches == 4);
  CHECK(run.sequence == 4096);
  CHECK(run.engine == "nanotron");
  CHECK(run.shape.Key() == "16,2048,32,32,8192,131072");
}

TEST_CASE("Micro-batches are recorded, else the batch in sequences over dp and micro-batch") {
  Cells row = With(PlaybookRow(), {{"other", "tied=True; after_pp_fix=True"}, {"gbs", "32"}});
  row = With(row, {{"num_gpus", "4"}, {"dp", "4"}, {"mbs", "2"}});
  CHECK(RunOf(row).micro_batches == 4);
  CHECK_THROWS_WITH(RunOf(With(row, {{"gbs", "30"}})), "gbs: not a multiple of dp x mbs");
  CHECK_THROWS_WITH(RunOf(With(row, {{"gbs", ""}})), "gbs: not recorded, and nothing implies it");
}

TEST_CASE("Counts that a data frame wrote as 16.0 are whole") {
  CHECK(RunOf(With(PlaybookRow(), {{"layers", "16.0"}})).llm.LayerCount() == 16);
}

TEST_CASE("A row that lacks something is refused with what it lacks") {
  const std::string end = ": not recorded, and nothing implies it";
  for (const char* fact : {"layers", "hidden", "seq", "num_gpus", "tp", "dp", "mbs", "zero"}) {
    CHECK_THROWS_WITH(RunOf(With(PlaybookRow(), {{fact, ""}})), (fact + end).c_str());
  }
  CHECK_THROWS_WITH(RunOf(With(PlaybookRow(), {{"source", "A paper"}})),
                    doctest::Contains("which framework ran"));
}

TEST_CASE("A row that contradicts itself is refused") {
  const auto refusal = [](const Cells& changes) {
    try {
      RunOf(With(PlaybookRow(), changes));
    } catch (const ArgumentError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal({{"num_gpus", "2"}}) == "num_gpus: not tp x pp x dp");
  CHECK(refusal({{"tp", "3"}}) == "num_gpus: not tp x pp x dp");
  CHECK(refusal({{"heads", "31"}}) == "heads does not divide hidden; check the row");
  CHECK(refusal({{"kv_heads", "3"}}) == "kv_heads does not divide heads; check the row");
  CHECK(refusal({{"layers", "-1"}}) == "layers: not a whole number that it could be");
  CHECK(refusal({{"layers", "1e3"}}) == "layers: not a whole number that it could be");
  CHECK(refusal({{"layers", "100000"}}) == "a size is not that of any model; check the row");
  CHECK(refusal({{"precision", "MXFP8"}}) == "precision: only bf16 and fp16 are modelled");
  CHECK(refusal({{"zero", "FSDP2"}}) == "zero: not a whole number that it could be");
  CHECK(refusal({{"recompute", "some"}}) == "recompute: not one of the words that are modelled");
  CHECK(refusal({{"cp", "2"}}).starts_with("plan: "));
}

}  // namespace roofcast
