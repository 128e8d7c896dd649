// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "core/utf8.h"

namespace roofcast {
namespace {

TEST_CASE("Case, space, hyphen, underscore and U+2011 are equal in names") {
  std::string hyphens = "H100#80GB#SXM";
  for (const std::size_t at : {9U, 4U}) hyphens.replace(at, 1, "\xE2\x80\x91");
  for (const std::string& name : {std::string("H100-80GB SXM"),
                                  std::string("h100_80gb_sxm"),
                                  std::string("H100 80gb sxm"),
                                  std::string("  h100-80GB-SXM\t"),
                                  hyphens}) {
    CAPTURE(name);
    CHECK(NormaliseName(name) == "h100-80gb-sxm");
  }
  CHECK(NormaliseName("") == "");
  CHECK(NormaliseName("\xE2\x80") == "\xE2\x80");
  CHECK(NormaliseName("M3.1+") == "m3.1+");
}

TEST_CASE("The nearest name is a slip of the keyboard away") {
  const std::vector<std::string> names = {"h100-sxm", "h200-sxm", "bandwidth", "a100-sxm", "l4"};
  CHECK(NearestName("h100-smx", names) == "h100-sxm");  // neighbours swapped
  CHECK(NearestName("H100_SXM", names) == "h100-sxm");
  CHECK(NearestName("h200sxm", names) == "h200-sxm");
  CHECK(NearestName("bandwith", names) == "bandwidth");
  CHECK(NearestName("band", names) == "bandwidth");  // a beginning
  CHECK(NearestName("h200", names) == "h200-sxm");
  CHECK(NearestName("l5", names) == "l4");
  CHECK(!NearestName("capacity", names));
  CHECK(!NearestName("", names));
  CHECK(!NearestName("foo", {"from"}));
  CHECK(!NearestName(std::string(1000000, 'x'), names));
  CHECK(!NearestName("x", {std::string(1000000, 'x')}));
  CHECK(!NearestName("x", {}));
  CHECK(DidYouMean("h100-smx", names) == "; did you mean 'h100-sxm'?");
  CHECK(DidYouMean("capacity", names) == "");
}

TEST_CASE("Words are joined for a sentence") {
  CHECK(JoinWithOr({}) == "");
  CHECK(JoinWithOr({"1"}) == "1");
  CHECK(JoinWithOr({"1", "2"}) == "1 or 2");
  CHECK(JoinWithOr({"1", "2", "4"}) == "1, 2 or 4");
}

TEST_CASE("A text is a number only as a whole") {
  CHECK(ParseInteger("-12") == -12);
  CHECK(ParseInteger("9223372036854775807") == INT64_MAX);
  for (const char* text : {"", " 1", "1 ", "1.0", "1e3", "+1", "0x1", "9223372036854775808", "-"}) {
    CAPTURE(text);
    CHECK(!ParseInteger(text));
  }
  CHECK(ParseNumber("1e-3") == 1e-3);
  CHECK(ParseNumber(".5") == 0.5);
  for (const char* text : {"", "nan", "inf", "-inf", "1e999", "1 ", "+1", "1,5", "e5", "0x1p3"}) {
    CAPTURE(text);
    CHECK(!ParseNumber(text));
  }
}

TEST_CASE("FormatExact reads back as the same double") {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, 989.4e12, -0.0, 123456789012.0}) {
    const auto back = ParseNumber(FormatExact(value));
    REQUIRE(back);
    CHECK(*back == value);
    CHECK(std::signbit(*back) == std::signbit(value));
  }
  CHECK(FormatExact(0.1) == "0.1");
}

TEST_CASE("Split and Trim keep what is inside") {
  CHECK(Split("a,b,,c", ',') == std::vector<std::string>{"a", "b", "", "c"});
  CHECK(Split("", ',') == std::vector<std::string>{""});
  CHECK(Trim(" \t a b \r\n") == "a b");
  CHECK(Trim(" \n ") == "");
}

TEST_CASE("Printable leaves no character that a terminal obeys") {
  CHECK(Printable("plain \xC3\xA9 \xE6\xB7\xB1") == "plain \xC3\xA9 \xE6\xB7\xB1");
  CHECK(Printable(std::string("a\0b", 3)) == "a\\x00b");
  CHECK(Printable("a\x1B[31mb\n\x7F") == "a\\x1B[31mb\\x0A\\x7F");
  CHECK(Printable("\xC2\x9B") == "\\u009B");        // the one-byte CSI of C1
  CHECK(Printable("a\xE2\x80\xAE") == "a\\u202E");  // writes right to left
  CHECK(Printable("\xE2\x80\x8B|") == "\\u200B|");  // invisible space
  CHECK(Printable("\xFF\xC3(") == "\\xFF\\xC3(");   // no UTF-8
  CHECK(Printable("\xC0\x80\xED\xA0\x80") == "\\xC0\\x80\\xED\\xA0\\x80");
  CHECK(Printable(Printable("\x1B\xFF")) == Printable("\x1B\xFF"));
}

TEST_CASE("Quoted cuts between characters") {
  CHECK(Quoted("x") == "'x'");
  std::string accents;
  for (int i = 0; i < 60; ++i) accents += "\xC3\xA9";
  CHECK(Quoted("x" + accents) == "'x" + accents.substr(0, 78) + "...'");
}

TEST_CASE("Malformed UTF-8 is found at its first byte") {
  CHECK(FindBadUtf8("a\xC3\xA9\xF0\x9F\x98\x80") == std::string_view::npos);
  CHECK(FindBadUtf8("ab\xC3") == 2);            // cut
  CHECK(FindBadUtf8("\x80") == 0);              // a continuation alone
  CHECK(FindBadUtf8("a\xC0\xAF") == 1);         // overlong
  CHECK(FindBadUtf8("\xED\xA0\x80") == 0);      // surrogate
  CHECK(FindBadUtf8("\xF4\x90\x80\x80") == 0);  // beyond U+10FFFF
}

TEST_CASE("Wide characters take two columns and marks none") {
  CHECK(DisplayWidth("abc") == 3);
  CHECK(DisplayWidth("\xC3\xA9") == 1);
  CHECK(DisplayWidth("e\xCC\x81") == 1);
  CHECK(DisplayWidth("\xE6\xB7\xB1\xE5\xBA\xA6") == 4);
  CHECK(DisplayWidth("\xF0\x9F\x98\x80") == 2);
  CHECK(DisplayWidth("\xE2\x96\x88\xE2\x94\x80") == 2);  // block and line drawing
  CHECK(DisplayWidth("\xFF") == 1);
}

TEST_CASE("Messages read place: thing: what is wrong; what to do") {
  CHECK(Format(Location{}) == "");
  CHECK(Format(Location{"a.yaml", 0, 0}) == "a.yaml");
  CHECK(Format(Location{"a.yaml", 4, 3}) == "a.yaml:4:3");
  CHECK(Format(Location{"a\n.yaml", 4, 3}) == "a\\x0A.yaml:4:3");
  CHECK(Format(Problem{{"a.yaml", 4, 3}, "dram.size", "unknown key", "leave it out"}) ==
        "a.yaml:4:3: dram.size: unknown key; leave it out");
  CHECK(Format(Problem{{}, "", "is wrong", ""}) == "is wrong");
  const SpecError error({{{"a", 1, 1}, "x", "no", ""}, {{"a", 2, 1}, "y\x1B", "no", "yes"}});
  CHECK(std::string(error.what()) == "a:1:1: x: no\na:2:1: y\\x1B: no; yes");
  CHECK(error.problems().size() == 2);
}

TEST_CASE("Each kind of error can be caught apart and all as one") {
  CHECK_THROWS_AS(throw NotFoundError("x"), Error);
  CHECK_THROWS_AS(throw ArgumentError("x"), Error);
  CHECK_THROWS_AS(throw SpecError({}), Error);
  CHECK_THROWS_AS(ROOFCAST_CHECK(1 == 2), std::logic_error);
  CHECK_THROWS_WITH(ROOFCAST_CHECK(1 == 2), doctest::Contains("1 == 2 does not hold"));
  CHECK_NOTHROW(ROOFCAST_CHECK(1 == 1));
}

}  // namespace
}  // namespace roofcast
