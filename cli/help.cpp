// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "cli/verb.h"

namespace roofcast::cli {
namespace {

// A name and a text beside it; texts are short enough to stay on one line.
std::string Line(std::string name, std::string_view text, std::size_t width) {
  name.resize(std::max(width, name.size()), ' ');
  return "  " + name + "  " + std::string(text) + "\n";
}

std::string Written(const Flag& flag) {
  return "--" + std::string(flag.name) + (flag.value.empty() ? "" : " " + std::string(flag.value));
}

void AddFlags(const Verb& verb, bool required, std::string_view title, std::string& text) {
  std::size_t width = 0;
  for (const Flag& flag : verb.flags) width = std::max(width, Written(flag).size());
  std::string lines;
  for (const Flag& flag : verb.flags) {
    if (flag.required == required) lines += Line(Written(flag), flag.help, width);
  }
  if (!lines.empty()) text += "\n" + std::string(title) + "\n" + lines;
}

// "roofcast predict decode --a 1 --b 2" broken before a flag where it is long.
std::string Wrapped(std::string_view example) {
  constexpr std::size_t kLongest = 96;
  std::string text;
  std::string line = "  ";
  while (!example.empty()) {
    const std::size_t next = example.find(" --", 1);
    const std::string_view piece = example.substr(0, next);
    if (line.size() + piece.size() > kLongest) {
      text += line + " \\\n";
      line = "     ";
    }
    line += piece;
    example = next == std::string_view::npos ? "" : example.substr(next);
  }
  return text + line + "\n";
}

}  // namespace

std::string HelpText(const Verb& verb) {
  const std::string name(verb.name);
  std::string text = "roofcast " + name + ": " + std::string(verb.summary) +
                     "\n\nUsage: roofcast " + name +
                     (verb.names.empty() ? "" : " " + std::string(verb.names)) + " [flags]\n";
  AddFlags(verb, true, "Needed:", text);
  AddFlags(verb, false, "Flags:", text);
  if (!verb.details.empty()) text += "\n" + std::string(verb.details) + "\n";
  text += "\nExamples:\n";
  for (const std::string_view example : verb.examples) text += Wrapped(example);
  return text;
}

std::string Overview() {
  constexpr std::size_t kWidth = 16;
  std::string text =
      "roofcast predicts how long a step of an LLM takes on given hardware, what limits it and\n"
      "whether it fits.\n\nUsage: roofcast VERB [flags]\n\nVerbs:\n";
  for (const Verb& verb : Verbs()) text += Line(std::string(verb.name), verb.summary, kWidth);
  text += Line("calibrate", "fit coefficients to measurements (a program of its own)", kWidth);
  text += Line("bench", "measure the processor that this runs on (the same program)", kWidth);
  text += Line("help [VERB]", "this text, or the flags of a verb", kWidth);
  text += Line("--version", "version, and hashes of catalog and fits", kWidth);
  text += "\nExit status: 0 success, 2 bad input, 1 any other failure.\n\nExamples:\n";
  for (const Verb& verb : Verbs()) text += Wrapped(verb.examples.front());
  return text;
}

}  // namespace roofcast::cli
