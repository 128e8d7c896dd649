// SPDX-License-Identifier: Apache-2.0
// A spec with a field of every type, for the tests of reader and writer.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/spec_reader.h"

namespace roofcast {

enum class Colour : std::uint8_t { kRed, kBlue };
template <>
struct EnumNames<Colour> {
  static constexpr std::array<std::pair<Colour, std::string_view>, 2> kNames = {{
      {Colour::kRed, "red"},
      {Colour::kBlue, "blue"},
  }};
};

namespace testing {

struct Part {
  std::string label;
  Bytes size;
  std::optional<std::int64_t> count;

  template <class V>
  static void Fields(V& v) {
    v("label", &Part::label, "what it is called");
    v("size", &Part::size, "how large it is");
    v("count", &Part::count, "how many of it", FieldRule::kMayBeZero);
  }
};

// One field of every type that a spec may have.
struct Thing {
  std::string name;
  Colour colour = Colour::kRed;
  DType dtype = DType::kBf16;
  bool open = false;
  std::int64_t whole = 0;
  double ratio = 0;
  std::optional<Seconds> delay;
  std::int64_t choice = 0;
  Part part;
  std::vector<std::string> words;
  std::vector<Part> parts;
  std::vector<double> ratios;
  std::map<DType, FlopRate> rates;
  std::map<std::string, Part> named;

  Sources sources;

  void Check(SpecReader& reader) const {
    if (whole == 13) reader.AddProblem("whole", "brings bad luck", "take 12 or 14");
    if (whole == 666) reader.AddProblem("part.label.no", "is deep", "");
  }

  template <class V>
  static void Fields(V& v) {
    v("name", &Thing::name, "what it is called");
    v("colour", &Thing::colour, "how it looks");
    v("dtype", &Thing::dtype, "what it stores");
    v("open", &Thing::open, "whether it is open");
    v("whole", &Thing::whole, "a count");
    v("ratio", &Thing::ratio, "a share");
    v("delay", &Thing::delay, "how long it takes", FieldRule::kMayBeZero);
    v("choice", &Thing::choice, "a decision", FieldRule::kNoSource);
    v("part", &Thing::part, "the one part");
    v("words", &Thing::words, "words");
    v("parts", &Thing::parts, "more parts");
    v("ratios", &Thing::ratios, "shares");
    v("rates", &Thing::rates, "by number format");
    v("named", &Thing::named, "by name");
  }
};

inline References Known() {
  return {{"sheet", {"A sheet", "", 2024, "", SourceKind::kDatasheet, ""}},
          {"paper", {"A paper", "", 0, "", SourceKind::kPaper, ""}},
          {"guess", {"A guess", "", 0, "", SourceKind::kAssumed, ""}},
          {"habit", {"What we do", "", 0, "", SourceKind::kAssumed, "by habit"}}};
}

inline Thing Read(std::string_view text) {
  return ReadSpec<Thing>(ParseYaml(text, "f.yaml"), Known());
}

inline constexpr const char* kGood =
    "name: a\n"
    "from: sheet\n"
    "colour: blue\n"
    "dtype: fp8\n"
    "open: true\n"
    "whole: 7\n"
    "ratio: 0.5\n"
    "delay: 0 ms\n"
    "choice: 2\n"
    "part: {label: b, size: 2 GiB}\n"
    "words: [x, \"8\"]\n"
    "parts:\n"
    "  - {label: c, size: 1 GB, count: 0}\n"
    "  - {label: d, size: 3 GB}\n"
    "ratios: [0.25, 1]\n"
    "rates: {bf16: 1 TFLOP/s, fp8: 2 TFLOP/s}\n"
    "named:\n"
    "  first: {label: e, size: 1 B}\n";

// kGood with one line replaced.
inline std::string With(const std::string& line, const std::string& instead) {
  std::string text = kGood;
  const auto at = text.find(line);
  ROOFCAST_CHECK(at != std::string::npos);
  return text.replace(at, line.size(), instead);
}

}  // namespace testing
}  // namespace roofcast
