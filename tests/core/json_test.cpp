// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <doctest/doctest.h>

#include <limits>

#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::MessageOf;

std::string Refusal(std::string_view text) {
  return MessageOf([&] { ParseJson(text, "c.json"); });
}

TEST_CASE("Values of every kind are read, keys in their order") {
  const Json json = ParseJson(
      "\xEF\xBB\xBF{\"z\": [1, -2, 2.5, 1e3], \"a\": {\"t\": true, \"n\": null}, "
      "\"s\": \"q\\\"\\u00e9\"}\n",
      "c.json");
  CHECK(json.begin().key() == "z");
  CHECK(json["z"][0] == 1);
  CHECK(json["z"][0].is_number_integer());
  CHECK(json["z"][1] == -2);
  CHECK(json["z"][3].is_number_float());
  CHECK(json["a"]["t"] == true);
  CHECK(json["a"]["n"].is_null());
  CHECK(json["s"] == "q\"\xC3\xA9");
  CHECK(ParseJson(FormatJson(json), "again") == json);
  CHECK(ParseJson("3", "c.json") == 3);
  CHECK(ParseJson("18446744073709551615", "c.json") == UINT64_MAX);
}

TEST_CASE("A key given twice is refused where it starts") {
  CHECK(Refusal("{\"a\": 1, \"a\": 2}") == "c.json:1:10: 'a' is given twice; keep one of them");
  CHECK(Refusal("{\"x\": [{\"a\": 1,\n  \"a\\\"\": 1,\n  \"a\\\"\": 2}]}") ==
        "c.json:3:3: 'a\"' is given twice; keep one of them");
  CHECK(Refusal("{\"\\\\\": 1, \"\\u005c\": 2}") ==
        "c.json:1:11: '\\' is given twice; keep one of them");
  CHECK(Refusal("{\"a\": {\"a\": {\"a\": 1}}}") == "no error");
}

TEST_CASE("NaN and Infinity are refused by name") {
  const std::string cure = " is not JSON; write null for a value not known";
  CHECK(Refusal("{\"a\": NaN}") == "c.json:1:7: NaN" + cure);
  CHECK(Refusal("[1,\n Infinity]") == "c.json:2:2: Infinity" + cure);
  CHECK(Refusal("[-Infinity]") == "c.json:1:2: -Infinity" + cure);
  CHECK(Refusal("[nan]") == "c.json:1:2: nan" + cure);
}

TEST_CASE("Nothing after a NUL byte is lost") {
  CHECK(Refusal(std::string_view("{}\0}{", 5)) == "c.json:1:3: holds a NUL byte; save it as text");
}

TEST_CASE("What is no JSON is refused at its place") {
  CHECK(Refusal("{\"a\": 1,}").starts_with("c.json:1:9: not valid JSON: "));
  CHECK(Refusal("{'a': 1}").starts_with("c.json:1:2: not valid JSON: "));
  CHECK(Refusal("[1\n 2]").starts_with("c.json:2:2: not valid JSON: "));
  CHECK(Refusal("{} x").starts_with("c.json:1:4: not valid JSON: "));
  CHECK(Refusal("[1").starts_with("c.json:1:3: not valid JSON: "));
  CHECK(Refusal("[01]").starts_with("c.json:1:3: not valid JSON: "));
  CHECK(Refusal("[\"\xFF\"]").starts_with("c.json:1:3: not valid JSON: "));
  CHECK(Refusal("[\"a\nb\"]").starts_with("c.json:"));
  CHECK(Refusal("[1e999]").starts_with("c.json:1:"));
  CHECK(Refusal("// comment\n1").starts_with("c.json:1:"));
  CHECK(Refusal("") == "c.json: is empty; write one JSON value");
  CHECK(Refusal(" \n ") == "c.json: is empty; write one JSON value");
}

TEST_CASE("Messages are not the library's own") {
  for (const char* text : {"[1", "{\"a\" 1}", "[1e999]", "tru", "[\"\\x\"]", "{"}) {
    CAPTURE(text);
    CHECK(Refusal(text).find("json.exception") == std::string::npos);
    CHECK(Refusal(text).find("last read") == std::string::npos);
  }
}

TEST_CASE("Depth and size are bounded") {
  CHECK(Refusal(std::string(64, '[') + std::string(64, ']')) == "no error");
  CHECK(Refusal(std::string(65, '[') + std::string(65, ']')) ==
        "c.json:1:65: nested deeper than 64 levels; flatten it");
  CHECK(Refusal(std::string(1000000, '[')) ==
        "c.json:1:65: nested deeper than 64 levels; flatten it");
  CHECK(Refusal(std::string((16U << 20U) + 1, ' ')) == "c.json: larger than 16 MiB; split it");
  std::string many = "[";
  for (int i = 0; i < 4000000; ++i) many += "1,";
  CHECK(Refusal(many + "1]").find("more than 4 million values; split the file") !=
        std::string::npos);
}

TEST_CASE("A wide object is read in a moment") {
  std::string text = "{";
  for (int i = 0; i < 200000; ++i) text += "\"k" + std::to_string(i) + "\":1,";
  CHECK(ParseJson(text + "\"last\":1}", "c.json").size() == 200001);
}

TEST_CASE("FormatJson writes what any text and number allow") {
  CHECK(FormatJson(Json{{"b", 1}, {"a", 0.1}}, false) == "{\"b\":1,\"a\":0.1}");
  CHECK(FormatJson(Json{{"b", 1}}) == "{\n  \"b\": 1\n}\n");
  CHECK(FormatJson(Json(std::numeric_limits<double>::quiet_NaN()), false) == "null");
  CHECK(FormatJson(Json("\xFF"), false) == "\"\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace roofcast
