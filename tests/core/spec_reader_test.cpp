// SPDX-License-Identifier: Apache-2.0
#include "core/spec_reader.h"

#include <doctest/doctest.h>

#include "tests/core/support.h"
#include "tests/core/thing.h"

namespace roofcast {
namespace {

using testing::kGood;
using testing::MessageOf;
using testing::Read;
using testing::Thing;
using testing::With;

std::string Refusal(std::string_view text) {
  return MessageOf([&] { Read(text); });
}

TEST_CASE("A field of every type is read") {
  const Thing thing = Read(kGood);
  CHECK(thing.name == "a");
  CHECK(thing.colour == Colour::kBlue);
  CHECK(thing.dtype == DType::kFp8);
  CHECK(thing.open);
  CHECK(thing.whole == 7);
  CHECK(thing.ratio == 0.5);
  CHECK(thing.delay == Seconds(0));
  CHECK(thing.choice == 2);
  CHECK(thing.part.size == Bytes(2147483648.0));
  CHECK(!thing.part.count);
  CHECK(thing.words == std::vector<std::string>{"x", "8"});
  REQUIRE(thing.parts.size() == 2);
  CHECK(thing.parts[0].count == 0);
  CHECK(thing.ratios == std::vector<double>{0.25, 1});
  CHECK(thing.rates.at(DType::kFp8) == FlopRate(2e12));
  CHECK(thing.named.at("first").size == Bytes(1));
}

TEST_CASE("Every figure has its source and its place; choices and text have none") {
  const Thing thing = Read(kGood);
  std::vector<std::string> paths;
  for (const auto& [path, source] : thing.sources) {
    paths.push_back(path);
    CHECK(source.key == "sheet");
    CHECK(source.kind == SourceKind::kDatasheet);
  }
  CHECK(paths == std::vector<std::string>{"delay",
                                          "named.first.size",
                                          "part.size",
                                          "parts[0].count",
                                          "parts[0].size",
                                          "parts[1].size",
                                          "rates.bf16",
                                          "rates.fp8",
                                          "ratio",
                                          "ratios[0]",
                                          "ratios[1]",
                                          "whole"});
  CHECK(Format(thing.sources.at("parts[1].size").place) == "f.yaml:14:22");
}

TEST_CASE("The nearest from counts, and a new one ends the note and kind around it") {
  const Thing thing = Read(With("part: {label: b, size: 2 GiB}",
                                "part: {label: b, from: paper, note: p. 3, kind: derived, size: "
                                "{value: 2 GiB}, count: {value: 1, from: sheet}}"));
  const Source& size = thing.sources.at("part.size");
  CHECK(size.key == "paper");
  CHECK(size.kind == SourceKind::kDerived);
  CHECK(size.note == "p. 3");
  const Source& count = thing.sources.at("part.count");
  CHECK(count.key == "sheet");
  CHECK(count.kind == SourceKind::kDatasheet);
  CHECK(count.note.empty());
  CHECK(thing.sources.at("ratio").key == "sheet");  // what follows is not touched
}

TEST_CASE("A map of figures takes from, kind and note for all of them") {
  const Thing thing = Read(With("rates: {bf16: 1 TFLOP/s, fp8: 2 TFLOP/s}",
                                "rates: {from: paper, kind: assumed, note: n, bf16: 1 TFLOP/s, "
                                "fp8: {value: 2 TFLOP/s, kind: measured}}"));
  CHECK(thing.sources.at("rates.bf16").kind == SourceKind::kAssumed);
  CHECK(thing.sources.at("rates.bf16").note == "n");
  CHECK(thing.sources.at("rates.fp8").kind == SourceKind::kMeasured);
  CHECK(thing.rates.size() == 2);
}

TEST_CASE("A file brings references of its own, which win over the known ones") {
  const Thing thing =
      Read(With("from: sheet", "from: mine\nreferences:\n  mine: {title: Mine, kind: measured}"));
  const Source& source = thing.sources.at("ratio");
  CHECK(source.kind == SourceKind::kMeasured);
  REQUIRE(source.own);
  CHECK(source.own->title == "Mine");
  CHECK(!Read(kGood).sources.at("ratio").own);
}

TEST_CASE("A figure without a source, with an unknown one or without a note is refused") {
  CHECK(Refusal(With("from: sheet\n", ""))
            .starts_with("f.yaml:5:8: whole: no source; add 'from: <reference key>' here or on an "
                         "enclosing block\n"));
  CHECK(Refusal(With("from: sheet", "from: sheets")) ==
        "f.yaml:2:7: from: no reference 'sheets'; did you mean 'sheet'?");
  CHECK(Refusal(With("from: sheet", "from: elsewhere")) ==
        "f.yaml:2:7: from: no reference 'elsewhere'; add it to 'references:' of this file");
  CHECK(Refusal(With("ratio: 0.5", "ratio: {value: 0.5, from: [sheet]}")) ==
        "f.yaml:7:27: ratio.from: a list where text is needed");
  CHECK(Refusal(With("ratio: 0.5", "ratio: {value: 0.5, from: guess}")) ==
        "f.yaml:7:16: ratio: no note, which every assumed figure needs; add 'note:' that says how "
        "it was come by");
  CHECK(Refusal(With("ratio: 0.5", "ratio: {value: 0.5, kind: derived}")) ==
        "f.yaml:7:16: ratio: no note, which every derived figure needs; add 'note:' that says how "
        "it was come by");
  CHECK(Refusal(With("ratio: 0.5", "ratio: {value: 0.5, from: habit}")) == "no error");
  CHECK(Refusal(With("ratio: 0.5", "ratio: {value: 0.5, kind: guessed}")) ==
        "f.yaml:7:27: ratio.kind: unknown kind 'guessed'; use measured, fitted, datasheet, paper, "
        "derived or assumed");
}

TEST_CASE("Faults of a file's own references are told, and not again where they are cited") {
  CHECK(Refusal(With("from: sheet", "from: mine\nreferences: {mine: {title: 1, kinds: paper}}")) ==
        "f.yaml:3:31: references.mine.kinds: unknown key; known keys: title, publisher, year, url, "
        "kind or note\n"
        "f.yaml:3:14: references.mine: 'kind' is missing; add it");
  CHECK(Refusal(With("from: sheet", "from: sheet\nreferences: [x]")) ==
        "f.yaml:3:13: references: needs one block a reference; write 'key:' and below it 'title' "
        "and 'kind'");
  CHECK(Refusal(With("from: sheet",
                     "from: sheet\nreferences: {x: y, z: {title: [1], kind: huh, "
                     "year: then}}")) ==
        "f.yaml:3:14: references.x: needs a block of keys; add 'title' and 'kind' to it\n"
        "f.yaml:3:31: references.z.title: needs text\n"
        "f.yaml:3:42: references.z.kind: unknown kind 'huh'; use measured, fitted, datasheet, "
        "paper, derived or assumed\n"
        "f.yaml:3:53: references.z.year: 'then' is not a year");
}

TEST_CASE("Every kind of wrong value has its message") {
  struct Row {
    const char* line;
    const char* instead;
    const char* message;
  };
  const std::array rows = {
      Row{"name: a", "name: [a]", "f.yaml:1:7: name: a list where text is needed"},
      Row{"name: a", "name: \"\"", "f.yaml:1:7: name: is empty; fill it in"},
      Row{"name: a", "name:", "f.yaml:1:1: 'name' has no value; fill it in"},
      Row{"name: a\n", "", "f.yaml:1:1: 'name' is missing; add it"},
      Row{"name: a",
          "name: \"a\\e[31m\"",
          "f.yaml:1:7: name: 'a\\x1B[31m' holds a control character; take it out"},
      Row{"name: a", "name: a\nnames: b", "f.yaml:2:1: names: unknown key; did you mean 'name'?"},
      Row{"colour: blue",
          "colour: green",
          "f.yaml:3:9: colour: 'green' is not known; use red or blue"},
      Row{"colour: blue",
          "colour: {}",
          "f.yaml:3:9: colour: a block is not known; use red or blue"},
      Row{"dtype: fp8",
          "dtype: fp7",
          "f.yaml:4:8: dtype: 'fp7' is not known; use fp64, fp32, tf32, fp16, bf16, fp8, int8, "
          "fp6, "
          "fp4 or int4"},
      Row{"open: true",
          "open: yes",
          "f.yaml:5:7: open: 'yes' is not true or false; write true or false"},
      Row{"whole: 7",
          "whole: 7.5",
          "f.yaml:6:8: whole: '7.5' is not a whole number; write digits only"},
      Row{"whole: 7",
          "whole: \"7\"",
          "f.yaml:6:8: whole: '7' is not a whole number; write digits only"},
      Row{"whole: 7", "whole: 0", "f.yaml:6:8: whole: '0' is not positive"},
      Row{"whole: 7", "whole: 13", "f.yaml:6:8: whole: brings bad luck; take 12 or 14"},
      Row{"whole: 7", "whole: 666", "f.yaml:10:15: part.label.no: is deep"},
      Row{"ratio: 0.5",
          "ratio: half",
          "f.yaml:7:8: ratio: 'half' is not a number; write it without a unit, as 0.5"},
      Row{"ratio: 0.5", "ratio: -1", "f.yaml:7:8: ratio: '-1' is not positive"},
      Row{"ratio: 0.5",
          "ratio: .nan",
          "f.yaml:7:8: ratio: '.nan' is not a number; write it without a unit, as 0.5"},
      Row{"ratio: 0.5", "ratio: {from: sheet}", "f.yaml:7:8: ratio: 'value' is missing; add it"},
      Row{"ratio: 0.5", "ratio: {value: }", "f.yaml:7:9: ratio: 'value' has no value; fill it in"},
      Row{"ratio: 0.5",
          "ratio: {value: 1, unit: B}",
          "f.yaml:7:19: ratio.unit: unknown key; use value, from, kind or note"},
      Row{"delay: 0 ms", "delay: -1 ms", "f.yaml:8:8: delay: '-1 ms' is negative"},
      Row{"delay: 0 ms",
          "delay: 5",
          "f.yaml:8:8: delay: '5' needs a number and one of the units s, ms, us, ns, min, h, d"},
      Row{"delay: 0 ms",
          "delay: [5]",
          "f.yaml:8:8: delay: a list where a number with a unit is needed"},
      Row{"part: {label: b, size: 2 GiB}",
          "part: b",
          "f.yaml:10:7: part: 'b' where a block of keys is needed; write 'key: value'"},
      Row{"words: [x, \"8\"]",
          "words: x",
          "f.yaml:11:8: words: needs a list; write [a, b] or one '- item' a line"},
      Row{"words: [x, \"8\"]",
          "words: [x, [y]]",
          "f.yaml:11:12: words[1]: a list where text is needed"},
      Row{"size: 3 GB}", "sise: 3 GB}", "f.yaml:14:5: parts[1]: 'size' is missing; add it"},
      Row{"fp8: 2 TFLOP/s",
          "bfloat16: 2 TFLOP/s",
          "f.yaml:16:26: rates.bfloat16: unknown number format; write 'bf16'"},
      Row{"fp8: 2 TFLOP/s",
          "fp9: 2 TFLOP/s",
          "f.yaml:16:26: rates.fp9: unknown number format; use fp64, fp32, tf32, fp16, bf16, fp8, "
          "int8, fp6, fp4 or int4"},
      Row{"fp8: 2 TFLOP/s",
          "fp8: ",
          "f.yaml:16:26: rates.fp8: has no value; fill it in or leave the line out"},
      Row{"rates: {bf16: 1 TFLOP/s, fp8: 2 TFLOP/s}",
          "rates: [1]",
          "f.yaml:16:8: rates: a list where a block of keys is needed; write 'key: value'"},
  };
  for (const Row& row : rows) {
    const std::string message = Refusal(With(row.line, row.instead));
    CAPTURE(row.instead);
    if (std::string_view(row.instead) == "sise: 3 GB}") {
      CHECK(message == "f.yaml:14:16: parts[1].sise: unknown key; did you mean 'size'?\n" +
                           std::string(row.message));
    } else {
      CHECK(message == row.message);
    }
  }
}

TEST_CASE("All problems of a file are told at once, and not more than a hundred") {
  CHECK(
      Refusal("name: a\nfrom: sheet\nsize: 1\ncolour: x\ndtype: fp8\nwhole: x\nratio: 1\n"
              "choice: 1\npart: {label: b, size: 3}\n") ==
      "f.yaml:3:1: size: unknown key; use name, colour, dtype, open, whole, ratio, delay, choice, "
      "part, words, parts, ratios, rates, named, from, note, kind or references\n"
      "f.yaml:4:9: colour: 'x' is not known; use red or blue\n"
      "f.yaml:6:8: whole: 'x' is not a whole number; write digits only\n"
      "f.yaml:9:24: part.size: '3' needs a number and one of the units B, kB, MB, GB, TB, PB, "
      "KiB, MiB, GiB, TiB");
  std::string many = kGood;
  for (int i = 0; i < 500; ++i) many += "zz" + std::to_string(i) + ": 1\n";
  try {
    Read(many);
    FAIL("no error");
  } catch (const SpecError& error) {
    CHECK(error.problems().size() == 100);
  }
}

TEST_CASE("A file that is empty or no block is refused as a whole") {
  CHECK(Refusal("") == "f.yaml: nothing where a block of keys is needed; write 'key: value'");
  CHECK(Refusal("- a\n") ==
        "f.yaml:1:1: a list where a block of keys is needed; write 'key: value'");
  CHECK(Refusal("hello\n") ==
        "f.yaml:1:1: 'hello' where a block of keys is needed; write 'key: value'");
}

}  // namespace
}  // namespace roofcast
