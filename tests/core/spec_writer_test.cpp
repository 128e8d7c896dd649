// SPDX-License-Identifier: Apache-2.0
#include "core/spec_writer.h"

#include <doctest/doctest.h>

#include "core/fields_doc.h"
#include "core/fields_equal.h"
#include "tests/core/thing.h"

namespace roofcast {
namespace {

using testing::kGood;
using testing::Known;
using testing::Read;
using testing::Thing;
using testing::With;

TEST_CASE("What is written is read back the same, with the same sources") {
  Thing thing = Read(With("from: sheet",
                          "from: sheet\nreferences:\n  mine: {title: \"Mine: a 'test'\", kind: "
                          "measured, year: 2024, url: http://x/y, note: n}"));
  thing.name = "odd: # \"name\"";
  thing.words = {"true", "8", "a, b", "- x", "\xC3\xA9", "x:y", "null", "[", "tail:", "two\nlines"};
  Source& own = thing.sources["whole"];
  own.key = "mine";
  own.kind = SourceKind::kDerived;
  own.note = "a: note, with {marks} # and \"quotes\"";
  own.own = std::make_shared<const Reference>(
      Reference{"Mine: a 'test'", "", 2024, "http://x/y", SourceKind::kMeasured, "n"});
  for (const char* path : {"ratio", "parts[1].size", "ratios[0]"}) {
    thing.sources[path].note = std::string(150, 'n');  // too long for one line
  }
  thing.sources["rates.fp8"].key = "paper";
  thing.sources["rates.fp8"].kind = SourceKind::kPaper;
  const std::string written = WriteSpec(thing, Known());
  CAPTURE(written);
  const Thing back = Read(written);
  CHECK(SameFields(back, thing));
  REQUIRE(back.sources.size() == thing.sources.size());
  for (const auto& entry : thing.sources) {
    const Source& source = entry.second;
    CAPTURE(entry.first);
    const Source& again = back.sources.at(entry.first);
    CHECK(again.key == source.key);
    CHECK(again.kind == source.kind);
    CHECK(again.note == source.note);
  }
  REQUIRE(back.sources.at("whole").own);
  CHECK(back.sources.at("whole").own->title == "Mine: a 'test'");
  CHECK(back.sources.at("whole").own->url == "http://x/y");
  CHECK(WriteSpec(back, Known()) == written);
}

TEST_CASE("Text is quoted only when YAML would read something else") {
  for (const char* text :
       {"plain", "NVIDIA H100 SXM5 80GB", "http://a/b", "a-b_c", "2x EPYC", "it's", "5%", "a:b"}) {
    CHECK(YamlScalar(text, false) == text);
  }
  CHECK(YamlScalar("a:b", true) == "\"a:b\"");
  CHECK(YamlScalar("a, b", true) == "\"a, b\"");
  CHECK(YamlScalar("a, b", false) == "a, b");
  CHECK(YamlScalar("", false) == "\"\"");
  CHECK(YamlScalar("8", false) == "\"8\"");
  CHECK(YamlScalar("Yes", false) == "\"Yes\"");
  CHECK(YamlScalar("- a", false) == "\"- a\"");
  CHECK(YamlScalar("a: b", false) == "\"a: b\"");
  CHECK(YamlScalar("a #b", false) == "\"a #b\"");
  CHECK(YamlScalar("a\"\\\n\x01", false) == "\"a\\\"\\\\\\n\\x01\"");
  for (const char* text :
       {"a: b", "x\ny", "\"", "\\", "#", "@", "- ", "? x", "*a", "&a", "!t", "%"}) {
    CAPTURE(text);
    CHECK(ParseYaml("k: " + YamlScalar(text, false), "f").Find("k")->scalar() == text);
    CHECK(ParseYaml("k: [" + YamlScalar(text, true) + "]", "f").Find("k")->items()[0].scalar() ==
          text);
  }
}

TEST_CASE("Fields are compared by value, not by where they were read") {
  Thing a = Read(kGood);
  Thing b = Read("# moved down\n" + std::string(kGood));
  CHECK(SameFields(a, b));
  b.parts[1].count = 4;
  CHECK(!SameFields(a, b));
  b = a;
  b.rates[DType::kInt8] = FlopRate(1);
  CHECK(!SameFields(a, b));
  b = a;
  b.delay.reset();
  CHECK(!SameFields(a, b));
}

TEST_CASE("The documentation of a struct comes from its field list") {
  const std::vector<FieldDoc> docs = FieldDocs<Thing>();
  const auto find = [&](std::string_view path) {
    for (const FieldDoc& doc : docs) {
      if (doc.path == path) return doc.type + "|" + doc.unit + "|" + (doc.required ? "yes" : "no");
    }
    return std::string("absent");
  };
  CHECK(find("name") == "text||yes");
  CHECK(find("colour") == "one of red or blue||yes");
  CHECK(find("dtype") == "number format||yes");
  CHECK(find("open") == "true or false||no");
  CHECK(find("whole") == "whole number||yes");
  CHECK(find("ratio") == "number||yes");
  CHECK(find("delay") == "quantity|s|no");
  CHECK(find("part") == "block||yes");
  CHECK(find("part.size") == "quantity|B|yes");
  CHECK(find("words[]") == "list of text||no");
  CHECK(find("parts") == "list of block||no");
  CHECK(find("parts[].count") == "whole number||no");
  CHECK(find("ratios[]") == "list of number||no");
  CHECK(find("rates.<number format>") == "map of quantity|FLOP/s|no");
  CHECK(find("named.<name>.label") == "text||yes");
  CHECK(docs.front().doc == "what it is called");
}

}  // namespace
}  // namespace roofcast
