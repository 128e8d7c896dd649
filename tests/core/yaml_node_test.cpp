// SPDX-License-Identifier: Apache-2.0
#include "core/yaml_node.h"

#include <doctest/doctest.h>

#include "tests/core/support.h"

namespace roofcast {
namespace {

using testing::MessageOf;

std::string Refusal(std::string_view text) {
  return MessageOf([&] { ParseYaml(text, "f.yaml"); });
}

TEST_CASE("Every kind of node knows what it is and where it stands") {
  const YamlNode root = ParseYaml(
      "text: plain\n"
      "quoted: \"8\"\n"
      "nothing:\n"
      "tilde: ~\n"
      "list: [1, 2]\n"
      "block:\n"
      "  inner: {a: 1}\n",
      "f.yaml");
  REQUIRE(root.IsMap());
  CHECK(Format(root.where()) == "f.yaml:1:1");
  CHECK(root.Find("text")->scalar() == "plain");
  CHECK(!root.Find("text")->quoted());
  CHECK(Format(root.Find("text")->where()) == "f.yaml:1:7");
  CHECK(root.Find("quoted")->scalar() == "8");
  CHECK(root.Find("quoted")->quoted());
  CHECK(Format(root.Find("quoted")->where()) == "f.yaml:2:9");
  CHECK(root.Find("nothing")->IsNull());
  CHECK(Format(root.Find("nothing")->where()) == "f.yaml:3:1");  // of its key
  CHECK(root.Find("tilde")->IsNull());
  CHECK(Format(root.Find("tilde")->where()) == "f.yaml:4:1");
  REQUIRE(root.Find("list")->IsList());
  CHECK(Format(root.Find("list")->where()) == "f.yaml:5:7");
  CHECK(Format(root.Find("list")->items()[1].where()) == "f.yaml:5:11");
  CHECK(Format(root.Find("block")->where()) == "f.yaml:7:3");
  CHECK(Format(root.entries()[5].where) == "f.yaml:6:1");
  const YamlNode* inner = root.Find("block")->Find("inner");
  CHECK(Format(inner->where()) == "f.yaml:7:10");
  CHECK(Format(inner->Find("a")->where()) == "f.yaml:7:14");
  CHECK(root.Find("absent") == nullptr);
}

TEST_CASE("A file with nothing in it is a null that knows its file") {
  for (const char* text : {"", "\n\n", "# only\n# comments\n", "---\n", "\xEF\xBB\xBF"}) {
    CAPTURE(text);
    const YamlNode root = ParseYaml(text, "f.yaml");
    CHECK(root.IsNull());
    CHECK(root.where().file == "f.yaml");
  }
}

TEST_CASE("A byte-order mark and CRLF change nothing") {
  const YamlNode root = ParseYaml(
      "\xEF\xBB\xBF"
      "a: 1\r\nb: 2\r\n",
      "f.yaml");
  CHECK(root.Find("a")->scalar() == "1");
  CHECK(root.Find("b")->where().line == 2);
}

TEST_CASE("All keys given twice are told, with their paths") {
  CHECK(Refusal("a: 1\na: 2\n") == "f.yaml:2:1: a: given twice; keep one of them");
  CHECK(Refusal("a: {b: 1, b: 2}\nc: [{d: 1}, {d: 1, d: 2}]\n") ==
        "f.yaml:1:11: a.b: given twice; keep one of them\n"
        "f.yaml:2:20: c[1].d: given twice; keep one of them");
  CHECK(Refusal("\"a\": 1\na: 2\n") == "f.yaml:2:1: a: given twice; keep one of them");
}

TEST_CASE("Anchors, aliases, tags and a second document are refused") {
  CHECK(Refusal("a: &x 1\n") == "f.yaml:1:4: anchors are not supported; write the value out");
  CHECK(Refusal("a: *x\n").starts_with("f.yaml:1:"));
  CHECK(Refusal("a: !!int 1\n") ==
        "f.yaml:1:4: the tag 'tag:yaml.org,2002:int' is not supported; leave it out");
  CHECK(Refusal("a: !python/object x\n") ==
        "f.yaml:1:4: the tag '!python/object' is not supported; leave it out");
  CHECK(Refusal("a: 1\n---\nb: 2\n") ==
        "f.yaml:2:1: holds a second document; keep one document a file");
  CHECK(Refusal("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n").starts_with("f.yaml:1:"));
}

TEST_CASE("A key is text") {
  CHECK(Refusal("? [a]\n: 1\n") == "f.yaml:1:3: a key must be text; name it");
  CHECK(Refusal("? {a: 1}\n: 1\n") == "f.yaml:1:3: a key must be text; name it");
  CHECK(Refusal("~: 1\n") == "f.yaml:1:1: a key must be text; name it");
  CHECK(Refusal(": 1\n").starts_with("f.yaml:1:1: a key must be text"));
}

TEST_CASE("Depth is bounded, however it is written") {
  std::string flow(64, '[');
  flow += std::string(64, ']');
  CHECK(MessageOf([&] { ParseYaml(flow, "f.yaml"); }) == "no error");
  CHECK(Refusal(std::string(65, '[') + std::string(65, ']')) ==
        "f.yaml:1:65: nested deeper than 64 levels; flatten it");
  std::string blocks;
  for (int i = 0; i < 100; ++i) blocks += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK(Refusal(blocks + std::string(100, ' ') + "a: 1\n") ==
        "f.yaml:65:65: nested deeper than 64 levels; flatten it");
  CHECK(Refusal(std::string(100000, '[')).starts_with("f.yaml:1:"));
  std::string dashes;
  for (int i = 0; i < 1000; ++i) dashes += "- ";
  CHECK(Refusal(dashes) == "f.yaml:1:129: nested deeper than 64 levels; flatten it");
}

TEST_CASE("Size and the number of values are bounded") {
  CHECK(Refusal(std::string((16U << 20U) + 1, '#')) == "f.yaml: larger than 16 MiB; split it");
  std::string many = "[";
  for (int i = 0; i < 500000; ++i) many += "1,\n";
  CHECK(Refusal(many + "]") == "f.yaml:500000:1: more than 500000 values; split the file");
}

TEST_CASE("Text that is no UTF-8 or holds control characters is refused at its place") {
  CHECK(Refusal("a: 1\nb: \xFF\n") == "f.yaml:2:4: not UTF-8 text; save the file as UTF-8");
  CHECK(Refusal(std::string("a: \0", 4)) == "f.yaml:1:4: the control character \\x00; take it out");
  CHECK(Refusal("a: \x1B[31m\n") == "f.yaml:1:4: the control character \\x1B; take it out");
  CHECK(Refusal("a: \xC2\x9B\n") == "f.yaml:1:4: the control character \\u009B; take it out");
  // UTF-16 with and without its mark, which yaml-cpp would decode.
  CHECK(Refusal(std::string("\xFF\xFE"
                            "a\0:\0",
                            6)) == "f.yaml:1:1: not UTF-8 text; save the file as UTF-8");
  CHECK(Refusal(std::string("a\0:\0", 4)) ==
        "f.yaml:1:2: the control character \\x00; take it out");
}

TEST_CASE("What is no YAML is refused with its place") {
  for (const std::string text : {"a: [1, 2\n",
                                 "a: {b: 1\n",
                                 "\ta: 1\n",
                                 "a:\n\tb: 1\n",
                                 "a:\n  b: 1\n\tc: 2\n",
                                 "a: b: c\n",
                                 "%YAML 3.0\n---\na: 1\n",
                                 "@a: 1\n",
                                 "a: }\n",
                                 "a: \"\\q\"\n",
                                 "a: 1\n b: 2\n",
                                 "- a\nb: 1\n"}) {
    CAPTURE(text);
    const std::string message = Refusal(text);
    CAPTURE(message);
    CHECK(message.starts_with("f.yaml:"));
    CHECK(message.find("not valid YAML: ") != std::string::npos);
  }
  CHECK(Refusal("- a\nb: 1\n") ==
        "f.yaml:2:1: not valid YAML: does not continue what stands above; check the indentation");
  CHECK(Refusal("a: 1\n...\nb: 1\n") ==
        "f.yaml:3:1: holds a second document; keep one document a file");
}

TEST_CASE("Half a file is not taken for a whole one") {
  const std::string message = ": not valid YAML: the quote is never closed; close it";
  CHECK(Refusal("a: \"x\n") == "f.yaml:1:4" + message);
  CHECK(Refusal("a: 'x\n") == "f.yaml:1:4" + message);
  CHECK(Refusal("a: 'x''\n") == "f.yaml:1:4" + message);
  CHECK(Refusal("a: \"x\\\"\n") == "f.yaml:1:4" + message);
  CHECK(Refusal("\xEF\xBB\xBF\"") == "f.yaml:1:1" + message);
  CHECK(Refusal("a: \"x\"\nb: \"y: 1\n") == "f.yaml:2:4" + message);
  for (const std::string text : {"a: 'x'''",
                                 "a: ''",
                                 "a: \"\\\\\"",
                                 "a: \"x\ny\"\n",
                                 "\xEF\xBB\xBF'a': '\xC3\xA9'",
                                 "'a': 1"}) {
    CAPTURE(text);
    CHECK(Refusal(text) == "no error");
  }
}

TEST_CASE("A wide map is read in a moment") {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  CHECK(ParseYaml(text, "f.yaml").entries().size() == 100000);
}

}  // namespace
}  // namespace roofcast
