// SPDX-License-Identifier: Apache-2.0
#include "models/validation/validate.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/models/validation/table.h"

namespace roofcast {
namespace {

using testing::PlaybookRow;
using testing::TableOf;
using testing::With;

constexpr double kGib = 1024.0 * 1024 * 1024;
// 131072 x 2048 + 16 (4 x 2048^2 + 3 x 2048 x 8192 + 2 x 2048) + 2048.
constexpr double kParameters = 1'342'244'864;
constexpr double kFixed = 0.075 * kGib;

Validation Of(const std::vector<testing::Cells>& rows) {
  return ValidateText(TableOf(rows), "t.csv");
}

const RowGroup& TotalOf(const Validation& validation, Metric metric) {
  for (const RowGroup& group : validation.totals) {
    if (group.metric == metric) return group;
  }
  throw std::runtime_error("no such total");
}

std::optional<std::string> Measured(const std::string& name) {
  const char* variable = std::getenv("ROOFCAST_DATA");
  const std::filesystem::path data =
      variable != nullptr && *variable != '\0'
          ? std::filesystem::path(variable)
          : std::filesystem::path(ROOFCAST_SOURCE_DIR) / ".." / "shared" / "data";
  const auto file = data / "e2e" / name;
  if (std::filesystem::exists(file)) return file.string();
  MESSAGE("skipped: no " << name << "; set ROOFCAST_DATA to the folder of measured data");
  return std::nullopt;
}

}  // namespace

TEST_CASE("On one device nanotron logs 18 bytes a parameter") {
  const Validation validation = Of({PlaybookRow()});
  REQUIRE(validation.rows.size() == 1);
  CHECK(validation.rows[0].measured == 20 * kGib);
  CHECK(validation.rows[0].predicted == doctest::Approx(18 * kParameters + kFixed));
}

TEST_CASE("ZeRO-1 shards the optimizer and gathers weights") {
  // 2 weights, 4 gradients, 2 buckets, (4 + 8) / 4 optimizer, 2 + 2 / 4 gathered.
  const Validation validation =
      Of({With(PlaybookRow(), {{"num_gpus", "4"}, {"dp", "4"}, {"zero", "1"}})});
  CHECK(validation.rows[0].predicted == doctest::Approx(13.5 * kParameters + kFixed));
}

TEST_CASE("Layers lie by cost on the stages, one less on the first since the repair") {
  // Ten layers, or eleven, and the token table; nothing of the head.
  const double layer = 4.0 * 2048 * 2048 + 3.0 * 2048 * 8192 + 2 * 2048;
  const double table = 131072.0 * 2048;
  const testing::Cells row = With(PlaybookRow(), {{"num_gpus", "2"}, {"pp", "2"}});
  const testing::Cells before =
      With(row, {{"other", "GA=4; tied=True; job 13500000; after_pp_fix=False"}});
  const Validation validation = Of({row, before});
  CHECK(validation.rows[0].predicted == doctest::Approx(18 * (10 * layer + table) + kFixed));
  CHECK(validation.rows[1].predicted == doctest::Approx(18 * (11 * layer + table) + kFixed));
}

TEST_CASE("A run fits where its states and activations have room") {
  const testing::Cells oom =
      With(PlaybookRow(), {{"metric", "oom"}, {"value", "1"}, {"unit", "bool"}, {"mbs", "64"}});
  const testing::Cells fits = With(oom, {{"value", "0"}, {"mbs", "1"}});
  const Validation validation = Of({oom, fits});
  const RowGroup& group = TotalOf(validation, Metric::kFits);
  REQUIRE(group.fits);
  CHECK(group.fits->predicted.oom_as_oom == 1);
  CHECK(group.fits->predicted.fits_as_fits == 1);
  CHECK(group.fits->by_states_alone.oom_as_fits == 1);
}

TEST_CASE("A table of rows that all lack something has totals and reasons, no figures") {
  const Validation validation = Of({With(PlaybookRow(), {{"gpu", "abacus"}, {"metric", "oom"}})});
  const RowGroup& group = TotalOf(validation, Metric::kFits);
  CHECK(group.rows == 0);
  CHECK(group.refused == 1);
  CHECK(!group.fits);
  CHECK(validation.rows[0].reason == "gpu: no device of the catalog is called so");
}

TEST_CASE("The hash of the data is that of the file") {
  const std::string text = TableOf({PlaybookRow()});
  CHECK(ValidateText(text, "a.csv").data_hash == ValidateText(text, "b.csv").data_hash);
  CHECK(ValidateText(text, "a.csv").data_hash != Of({PlaybookRow(), PlaybookRow()}).data_hash);
}

TEST_CASE("Measured nanotron jobs: memory and whether they fit are predicted as well as claimed") {
  const auto path = Measured("training_measured.csv");
  if (!path) return;
  const Validation validation = ValidateFile(*path, {"", {Metric::kMemory, Metric::kFits}});
  for (const RowGroup& group : validation.groups) {
    if (group.by.begin()->first != "framework" || group.name != "nanotron") continue;
    CHECK(group.refused == 0);
    CHECK(group.excluded.empty());
    if (group.metric == Metric::kMemory) {
      const ErrorSummary& errors = group.errors->predicted;
      MESSAGE("memory: median " << errors.median << " %, p90 " << errors.p90 << " %, worst "
                                << errors.worst << " % of " << group.rows << " rows");
      CHECK(group.rows == 907);
      CHECK(errors.median < 0.2);
      CHECK(errors.p90 < 0.7);
      CHECK(errors.worst < 10);
      CHECK(group.errors->cross_validated->median < 0.25);
    } else {
      MESSAGE("fits: " << group.fits->predicted.Right() << " % right, cross-validated "
                       << group.fits->cross_validated->Right() << " %, states alone "
                       << group.fits->by_states_alone.Right() << " %, majority "
                       << group.fits->majority << " %");
      CHECK(group.rows == 1993);
      CHECK(group.fits->predicted.Right() > 98);
      CHECK(group.fits->cross_validated->Right() > 98);
      CHECK(group.fits->by_states_alone.Right() < 90);
    }
  }
}

}  // namespace roofcast
