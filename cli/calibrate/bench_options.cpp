// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/bench_options.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "core/error.h"
#include "core/text.h"

namespace roofcast::cli {
namespace {

struct Flag {
  std::string_view name;
  std::string_view value;  // "": a switch
};
constexpr std::array<Flag, 9> kFlags = {{{"--quick", ""},
                                         {"--end-to-end", ""},
                                         {"--threads", "N"},
                                         {"--repeats", "N"},
                                         {"--family", "NAMES"},
                                         {"--name", "NAME"},
                                         {"--output", "FOLDER"},
                                         {"--json", ""},
                                         {"--quiet", ""}}};

[[noreturn]] void RefuseWord(const std::string& word) {
  if (!word.starts_with("-")) {
    throw ArgumentError(Quoted(word) + ": bench takes flags alone; --output names a folder");
  }
  std::vector<std::string> known = {"--help"};
  for (const Flag& flag : kFlags) known.emplace_back(flag.name);
  const std::string nearest = DidYouMean(word, known);
  throw ArgumentError(Printable(word) + ": unknown flag" +
                      (nearest.empty() ? "; 'roofcast bench --help' lists the flags" : nearest));
}

// Every flag that stands there with its value; switches have "".
std::map<std::string_view, std::string> FlagsOf(const std::vector<std::string>& words) {
  std::map<std::string_view, std::string> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const auto flag = std::find_if(
        kFlags.begin(), kFlags.end(), [&](const Flag& one) { return one.name == name; });
    if (flag == kFlags.end()) RefuseWord(name);
    if (given.contains(flag->name)) throw ArgumentError(name + ": given twice; keep one of them");
    std::string value;
    if (flag->value.empty()) {
      if (equals != std::string::npos) {
        throw ArgumentError(
            std::string(name).append(": takes no value; write ").append(name).append(" alone"));
      }
    } else {
      const bool next = equals == std::string::npos && i + 1 < words.size();
      value = equals != std::string::npos ? words[i].substr(equals + 1) : next ? words[i + 1] : "";
      if (value.empty() || value.starts_with("--")) {
        throw ArgumentError(std::string(name)
                                .append(": has no value; write ")
                                .append(name)
                                .append(" ")
                                .append(flag->value));
      }
      if (next) ++i;
    }
    given[flag->name] = value;
  }
  return given;
}

int CountOf(const std::string& name, const std::string& text, int least, int most) {
  const auto value = ParseInteger(text);
  if (!value || *value < least || *value > most) {
    throw ArgumentError(name + ": " + Quoted(text) + " is not a count from " +
                        std::to_string(least) + " to " + std::to_string(most));
  }
  return static_cast<int>(*value);
}

std::set<bench::Part> PartsOf(const std::string& text) {
  std::set<bench::Part> parts;
  for (const std::string& name : Split(text, ',')) {
    const auto part = FindEnum<bench::Part>(std::string(Trim(name)));
    if (!part) {
      const std::vector<std::string> known = EnumWords<bench::Part>();
      const std::string nearest = DidYouMean(name, known);
      throw ArgumentError("--family: no family " + Quoted(name) +
                          (nearest.empty() ? "; there are " + JoinWithOr(known) : nearest));
    }
    parts.insert(*part);
  }
  return parts;
}

}  // namespace

BenchWords ParseBench(const std::vector<std::string>& words) {
  BenchWords parsed;
  const auto asks = [](const std::string& word) { return word == "--help" || word == "-h"; };
  if (std::any_of(words.begin(), words.end(), asks)) {
    parsed.help = true;
    return parsed;
  }
  const auto given = FlagsOf(words);
  const auto value = [&](std::string_view name) {
    const auto found = given.find(name);
    return found == given.end() ? std::string() : found->second;
  };
  parsed.options.quick = given.contains("--quick");
  parsed.options.end_to_end = given.contains("--end-to-end");
  parsed.json = given.contains("--json");
  parsed.quiet = given.contains("--quiet");
  constexpr int kMostThreads = 4096;
  if (given.contains("--threads")) {
    parsed.options.threads = CountOf("--threads", value("--threads"), 1, kMostThreads);
  }
  if (given.contains("--repeats")) {
    parsed.options.repeats =
        CountOf("--repeats", value("--repeats"), bench::kLeastRepeats, bench::kMostRepeats);
  }
  if (given.contains("--family")) parsed.options.parts = PartsOf(value("--family"));
  parsed.options.name = value("--name");
  parsed.output = value("--output");
  if (parsed.options.end_to_end && !parsed.options.parts.empty()) {
    throw ArgumentError(
        "--family and --end-to-end: contradict each other; a model needs every family");
  }
  return parsed;
}

std::string BenchHelp() {
  return "roofcast bench: measure the processor that this runs on\n"
         "\n"
         "Usage: roofcast bench [flags]\n"
         "\n"
         "Flags:\n"
         "  --quick          fewer and smaller cases: about a minute instead of several\n"
         "  --threads N      cores to use; default: all that this process may use\n"
         "  --repeats N      timings of each case, at least 5; default 5\n"
         "  --family NAMES   only these of gemm, gemv, memory, attention, elementwise\n"
         "  --name NAME      what the device is called; default: by the processor's name\n"
         "  --output FOLDER  keep the tables (gemm.csv, ...) and the device's YAML there\n"
         "  --end-to-end     also run small transformers, fit, and hold what the fit predicts of\n"
         "                   them against what they took, three times\n"
         "  --json           print a JSON document instead of tables\n"
         "  --quiet          no progress\n"
         "  --help           this text\n"
         "\n"
         "Matrix products in fp32, bf16 and int8 as far as the processor has them, with weights "
         "in\n"
         "the order that oneDNN likes best; matrix times vector; memory by footprint; attention "
         "of\n"
         "prompts and of single tokens over a cache; passes over activations. Weights and KV "
         "cache\n"
         "are read from memory, not from caches. Every case is timed once a round, each round in\n"
         "another order; the median counts. The report ends with whether the machine was quiet.\n"
         "\n"
         "Exit status: 0 success, 2 bad input, 1 any other failure.\n"
         "\n"
         "Examples:\n"
         "  roofcast bench --quick --threads 1 --output my_cpu\n"
         "  roofcast bench --end-to-end\n";
}

}  // namespace roofcast::cli
