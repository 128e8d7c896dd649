// SPDX-License-Identifier: Apache-2.0
#include "core/table.h"

#include <doctest/doctest.h>

#include <stdexcept>

namespace roofcast {
namespace {

TEST_CASE("Columns are as wide as their widest cell and aligned") {
  Table table({{"name"}, {"time", Align::kRight}, {"bound"}});
  table.AddRow({"gemm", "12.4 ms", "compute"});
  table.AddRow({"all-reduce", "1 ms", ""});
  CHECK(table.Text() ==
        "name           time  bound\n"
        "----------------------------\n"
        "gemm        12.4 ms  compute\n"
        "all-reduce     1 ms\n");
}

TEST_CASE("A tree is drawn by indentation, a total below a rule") {
  Table table({{"part"}, {"s", Align::kRight}});
  table.AddRow({"layer", "3"});
  table.AddRow({"gemm", "2"}, 1);
  table.AddRow({"tile", "2"}, 2);
  table.AddRule();
  table.AddRow({"total", "3"});
  CHECK(table.Text(2) ==
        "  part      s\n"
        "  -----------\n"
        "  layer     3\n"
        "    gemm    2\n"
        "      tile  2\n"
        "  -----------\n"
        "  total     3\n");
  CHECK(table.rows() == 5);
}

TEST_CASE("Wide characters keep the columns straight") {
  Table table({{"name"}, {"n", Align::kRight}});
  table.AddRow({"\xE6\xB7\xB1\xE5\xBA\xA6", "1"});
  table.AddRow({"caf\xC3\xA9", "22"});
  CHECK(table.Text() ==
        "name   n\n"
        "--------\n"
        "\xE6\xB7\xB1\xE5\xBA\xA6   1\n"
        "caf\xC3\xA9  22\n");
}

TEST_CASE("Without titles there is no header, and a cell can't drive the terminal") {
  Table table({{""}, {""}});
  table.AddRow({"a\x1B[31m\n", "b"});
  table.AddRow({"c"});
  CHECK(table.Text() == "a\\x1B[31m\\x0A  b\nc\n");
  CHECK(Table({{"a"}}).Text() == "a\n-\n");
}

TEST_CASE("More cells than columns are a fault of ours") {
  Table table({{"a"}});
  CHECK_THROWS_AS(table.AddRow({"1", "2"}), std::logic_error);
}

}  // namespace
}  // namespace roofcast
