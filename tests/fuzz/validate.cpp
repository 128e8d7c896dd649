// SPDX-License-Identifier: Apache-2.0
// Any text as a table of measured training runs. What is accepted counts every row once.
#include "models/validation/validate.h"
#include "core/json.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace roofcast;  // NOLINT(google-build-using-namespace)
  const auto text = fuzzing::TextOf(data, size);
  fuzzing::Accepts([&] {
    const Validation validation = ValidateText(text, "fuzz.csv", {"training", {}});
    std::int64_t rows = 0;
    for (const RowGroup& group : validation.totals) {
      rows += group.rows + group.refused;
      for (const auto& test : group.excluded) rows += test.second;
    }
    fuzzing::Require(rows <= static_cast<std::int64_t>(validation.rows.size()));
    FormatJson(ToJson(validation));
    FormatValidation(validation, false);
    fuzzing::Require(!RowsCsv(validation).empty() && !GroupsCsv(validation).empty());
  });
  return 0;
}
