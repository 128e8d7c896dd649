// SPDX-License-Identifier: Apache-2.0
#include "core/csv.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::MessageOf;
using Rows = std::vector<std::vector<std::string>>;

Rows Read(std::string_view text, CsvLimits limits = {}) {
  CsvReader reader(text, "t.csv", limits);
  Rows rows = {reader.header()};
  while (reader.Next()) {
    std::vector<std::string>& row = rows.emplace_back();
    for (std::size_t i = 0; i < reader.header().size(); ++i) row.push_back(reader.Cell(i));
  }
  return rows;
}

std::string Refusal(std::string_view text, CsvLimits limits = {}) {
  return MessageOf([&] { Read(text, limits); });
}

TEST_CASE("Rows are read whatever ends their lines") {
  const Rows rows = {{"a", "b"}, {"1", "2"}, {"", "x y"}};
  CHECK(Read("a,b\n1,2\n,x y\n") == rows);
  CHECK(Read("a,b\r\n1,2\r\n,x y\r\n") == rows);
  CHECK(Read("a,b\r1,2\r,x y\r") == rows);
  CHECK(Read("a,b\n1,2\n,x y") == rows);  // no end of the last line
  CHECK(Read("\xEF\xBB\xBF"
             "a,b\n1,2\n,x y") == rows);                  // byte-order mark
  CHECK(Read("\n\na,b\n\n1,2\r\n\r\n,x y\n\n") == rows);  // empty lines
}

TEST_CASE("Quoted cells hold commas, quotes and line ends") {
  CHECK(Read("a,b\n\"1,5\",\"say \"\"hi\"\"\"\n\"two\r\nlines\",\"\"\n") ==
        Rows{{"a", "b"}, {"1,5", "say \"hi\""}, {"two\r\nlines", ""}});
  CHECK(Read("\"a,b\"\n1\n") == Rows{{"a,b"}, {"1"}});
}

TEST_CASE("The last cell of a row may be empty") {
  CHECK(Read("a,b\n1,\n,") == Rows{{"a", "b"}, {"1", ""}, {"", ""}});
}

TEST_CASE("Columns are found by their exact names") {
  const CsvReader reader("m,n,time_us\n1,2,3\n", "t.csv");
  CHECK(reader.Column("n") == 1);
  CHECK(reader.FindColumn("time_us") == 2);
  CHECK(!reader.FindColumn("N"));
  CHECK(MessageOf([&] { reader.Column("time_su"); }) ==
        "t.csv:1:1: no column 'time_su'; did you mean 'time_us'?");
  CHECK(MessageOf([&] { reader.Column("power"); }) ==
        "t.csv:1:1: no column 'power'; add it to the header");
}

TEST_CASE("A cell knows its place, also after cells of several lines") {
  CsvReader reader("a,b\n\"x\ny\",1\n2,3\n", "t.csv");
  REQUIRE(reader.Next());
  CHECK(Format(reader.Where(0)) == "t.csv:2:1");
  CHECK(Format(reader.Where(1)) == "t.csv:3:4");
  CHECK(reader.row() == 1);
  REQUIRE(reader.Next());
  CHECK(Format(reader.Where(1)) == "t.csv:4:3");
  CHECK(reader.line() == 4);
  CHECK(reader.row() == 2);
  CHECK(!reader.Next());
  CHECK(!reader.Next());
}

TEST_CASE("Numbers are read, empty is unknown, and rubbish is refused at its place") {
  CsvReader reader("a,b\n1.5, 128.0 \n,\nnan,1.5\n", "t.csv");
  REQUIRE(reader.Next());
  CHECK(reader.Number(0) == 1.5);
  CHECK(reader.Integer(1) == 128);
  REQUIRE(reader.Next());
  CHECK(!reader.Number(0));
  CHECK(!reader.Integer(1));
  REQUIRE(reader.Next());
  CHECK(MessageOf([&] { reader.Number(0); }) ==
        "t.csv:4:1: a: 'nan' is not a number; leave the cell empty when the value is not known");
  CHECK(MessageOf([&] { reader.Integer(1); }) ==
        "t.csv:4:5: b: '1.5' is not a whole number; leave the cell empty when the value is not "
        "known");
  CsvReader big("a\n9007199254740993\n1e30\n", "t.csv");
  REQUIRE(big.Next());
  CHECK(big.Integer(0) == 9007199254740993);
  REQUIRE(big.Next());
  CHECK(MessageOf([&] { big.Integer(0); }).starts_with("t.csv:3:1: a: '1e30' is not a whole"));
}

TEST_CASE("A ragged row is refused at the first cell too many, or at the row") {
  CHECK(Refusal("a,b\n1,2,3\n") ==
        "t.csv:2:5: 3 cells where the header has 2; give every row as many cells; quote cells that "
        "hold a comma");
  CHECK(Refusal("a,b\n1,2\n1\n") ==
        "t.csv:3:1: 1 cells where the header has 2; give every row as many cells; quote cells that "
        "hold a comma");
}

TEST_CASE("Broken quotes are refused at their place") {
  CHECK(
      Refusal("a\nx\"y\n") ==
      "t.csv:2:2: a quote inside a cell that doesn't start with one; put the whole cell in quotes "
      "and double the quotes in it");
  CHECK(Refusal("a,b\n1,\"x\ny\n") == "t.csv:2:3: the quote is never closed; close it");
  CHECK(Refusal("a,b\n\"x\"y,1\n") ==
        "t.csv:2:4: text after a closing quote; double the quotes that belong to the cell");
}

TEST_CASE("A file without a header, a name given twice and other encodings are refused") {
  CHECK(Refusal("") == "t.csv: holds no header; name the columns in the first line");
  CHECK(Refusal("\n\r\n") == "t.csv: holds no header; name the columns in the first line");
  CHECK(Refusal("a,b,a\n") == "t.csv:1:5: column 'a' is given twice; rename one of them");
  CHECK(Read(",a,\n1,2,3\n") == Rows{{"", "a", ""}, {"1", "2", "3"}});
  CHECK(Refusal("a\nx\xFFy\n") == "t.csv:2:2: not UTF-8 text; save the file as UTF-8");
  CHECK(Refusal(std::string("a\nx\0y\n", 6)) ==
        "t.csv:2:2: not UTF-8 text; save the file as UTF-8");
}

TEST_CASE("Every bound of a table holds") {
  CsvLimits limits;
  limits.columns = 2;
  CHECK(Refusal("a,b,c\n", limits) ==
        "t.csv:1:5: more than 2 columns; leave out what is not needed");
  limits = {};
  limits.rows = 1;
  CHECK(Refusal("a\n1\n2\n", limits) == "t.csv:3:1: more than 1 rows; split the file");
  limits = {};
  limits.field_bytes = 3;
  CHECK(Refusal("a\nabcd\n", limits) ==
        "t.csv:2:1: a cell larger than 3 bytes; is a quote missing?");
  CHECK(Refusal("a\n\"ab\ncd\"\n", limits) ==
        "t.csv:2:1: a cell larger than 3 bytes; is a quote missing?");
  limits = {};
  limits.row_bytes = 6;
  CHECK(Refusal("a,b\nabc,def\n", limits) ==
        "t.csv:2:5: a row larger than 6 bytes; is a quote missing?");
}

TEST_CASE("What is written is read back, quoted only where needed") {
  CsvWriter writer({"name", "value", "count"});
  writer.Add("plain").Add(0.1).Add(std::int64_t{3}).EndRow();
  writer.Add("a,\"b\"\n").Add(std::numeric_limits<double>::quiet_NaN()).Add(std::int64_t{-1});
  writer.EndRow();
  writer.Add(" space ").Add(1e300).Add("").EndRow();
  CHECK(writer.text() ==
        "name,value,count\nplain,0.1,3\n\"a,\"\"b\"\"\n\",,-1\n\" space \",1e+300,\n");
  CHECK(Read(writer.text()) == Rows{{"name", "value", "count"},
                                    {"plain", "0.1", "3"},
                                    {"a,\"b\"\n", "", "-1"},
                                    {" space ", "1e+300", ""}});
}

TEST_CASE("A lone empty cell is not taken for an empty line") {
  CsvWriter writer({"a"});
  writer.Add("").EndRow();
  CHECK(writer.text() == "a\n\"\"\n");
  CHECK(Read(writer.text()) == Rows{{"a"}, {""}});
}

TEST_CASE("A row of the wrong length is a fault of ours") {
  CsvWriter writer({"a", "b"});
  writer.Add("1");
  CHECK_THROWS_AS(writer.EndRow(), std::logic_error);
}

}  // namespace
}  // namespace roofcast
