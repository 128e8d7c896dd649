// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast::cli {

enum class FlagKind : std::uint8_t {
  kSwitch,   // no value
  kText,     // one value
  kNumbers,  // whole numbers: one, a list or a range (cli/number_list.h)
};

// One flag of a verb; the same row drives parsing, help and suggestions.
struct Flag {
  std::string_view name;  // without the dashes
  FlagKind kind = FlagKind::kText;
  std::string_view value;  // what the help calls the value: "N", "FILE"
  std::string_view help;   // with the unit
  bool required = false;
  std::string_view also = {};  // another spelling
};

// What stood on the command line after the verb, as text.
struct Arguments {
  std::map<std::string, std::string, std::less<>> flags;  // a switch has ""
  std::vector<std::string> names;                         // what is no flag

  bool Has(std::string_view flag) const { return flags.find(flag) != flags.end(); }
  // The value, or "" when the flag isn't there.
  std::string Get(std::string_view flag) const;
};

// One verb of the command. `run` returns the exit status and throws roofcast::Error on bad input.
struct Verb {
  std::string_view name;     // "predict decode"
  std::string_view summary;  // one line
  std::vector<Flag> flags;
  std::string_view names;      // what the usage line calls names: "[FILE...]"; "": takes none
  std::size_t most_names = 0;  // how many of them
  std::string_view details;    // paragraphs of the help text; may be empty
  std::vector<std::string_view> examples;
  int (*run)(const Verb& verb, const Arguments& arguments) = nullptr;
};

// Every verb, in the order of the help text.
const std::vector<Verb>& Verbs();

// Sorts words into flags and names. Throws ArgumentError: unknown flag with the nearest one,
// missing value, flag given twice, missing required flag with an example.
Arguments ParseArguments(const Verb& verb, const std::vector<std::string>& words);

std::string HelpText(const Verb& verb);
std::string Overview();  // of all verbs

}  // namespace roofcast::cli
