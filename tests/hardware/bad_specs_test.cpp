// SPDX-License-Identifier: Apache-2.0
// Every file of tests/bad_specs begins with `# expect:` lines, one a problem, which are the whole
// of what `roofcast lint` says about it.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/catalog.h"
#include "core/text.h"
#include "hardware/catalog.h"
#include "tests/core/support.h"

namespace roofcast {
namespace {

std::string ExpectedIn(const std::string& text) {
  constexpr std::string_view kStart = "# expect: ";
  std::string expected;
  for (const std::string& line : Split(text, '\n')) {
    if (!line.starts_with(kStart)) break;
    expected += line.substr(kStart.size()) + "\n";
  }
  return expected;
}

TEST_CASE("Every bad spec gets the whole message that it expects") {
  testing::Sandbox sandbox;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(testing::SourceDir() / "tests/bad_specs")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  CHECK(paths.size() >= 25);
  for (const auto& path : paths) {
    const std::string name = path.filename().string();
    const std::string text = testing::ReadAll(path);
    CAPTURE(name);
    const std::string expected = ExpectedIn(text);
    CHECK(!expected.empty());
    sandbox.Write(name, text);  // so that messages show the bare file name
    std::string messages;
    for (const Problem& problem : LintFile(ReadUserFile(name))) messages += Format(problem) + "\n";
    CHECK(messages == expected);
  }
}

}  // namespace
}  // namespace roofcast
