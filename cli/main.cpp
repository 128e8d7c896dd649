// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/run.h"
#include "cli/verb.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/output.h"
#include "core/text.h"
#include "core/version.h"

namespace roofcast::cli {
namespace {

using Words = std::vector<std::string>;

int Complain(const std::string& message, int status) {
  std::cerr << message << "\n";
  return status;
}

std::string VersionText() {
  return "roofcast " + std::string(kVersion) + "\ncatalog " + std::string(EmbeddedHash("catalog")) +
         "\nfits    " + std::string(EmbeddedHash("fits")) + "\n";
}

// Verbs of the program beside this one, which links what no prediction needs.
bool IsOfCalibrate(std::string_view verb) {
  return verb == "calibrate" || verb == "bench";
}

const Verb* FindVerb(std::string_view name) {
  for (const Verb& verb : Verbs()) {
    if (verb.name == name) return &verb;
  }
  return nullptr;
}

// The verb that the first words name; takes them off.
const Verb* TakeVerb(Words& words) {
  for (std::size_t count = std::min<std::size_t>(2, words.size()); count > 0; --count) {
    const std::string name = count == 2 ? words[0] + " " + words[1] : words[0];
    if (const Verb* verb = FindVerb(name)) {
      words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(count));
      return verb;
    }
  }
  return nullptr;
}

// Why the first words name no verb.
std::string NoVerb(const Words& words) {
  const std::string first = Printable(words[0]);
  if (words[0].starts_with('-')) {
    return "roofcast: " + first + ": stands where a verb is needed; 'roofcast help' lists them";
  }
  std::vector<std::string> firsts = {"help", "calibrate", "bench"};
  std::vector<std::string> seconds;
  std::string choices;
  for (const Verb& verb : Verbs()) {
    const auto space = verb.name.find(' ');
    firsts.emplace_back(verb.name.substr(0, space));
    if (verb.name.substr(0, space) != words[0]) continue;
    seconds.emplace_back(verb.name.substr(space + 1));
  }
  if (seconds.empty()) {
    const std::string cure = DidYouMean(words[0], firsts);
    return "roofcast: '" + first + "': unknown verb" +
           (cure.empty() ? "; 'roofcast help' lists them" : cure);
  }
  const std::string cure = "write roofcast " + first + " " + JoinWithOr(seconds);
  if (words.size() < 2 || words[1].starts_with('-')) {
    return "roofcast " + first + ": does not say what; " + cure;
  }
  const std::string nearest = DidYouMean(words[1], seconds);
  return "roofcast " + first + ": '" + Printable(words[1]) + "': unknown; " +
         (nearest.empty() ? cure : nearest.substr(2));
}

int Help(Words words) {
  if (words.empty()) {
    WriteOutput("", Overview());
    return kSuccess;
  }
  if (IsOfCalibrate(words[0])) return StartCalibrate({words[0], "--help"});
  if (const Verb* verb = TakeVerb(words)) {
    WriteOutput("", HelpText(*verb));
    return kSuccess;
  }
  std::string text;  // `help predict`: all that begin so
  for (const Verb& verb : Verbs()) {
    if (!verb.name.starts_with(words[0] + " ") || words.size() > 1) continue;
    text += (text.empty() ? "" : "\n\n") + HelpText(verb);
  }
  if (text.empty()) return Complain(NoVerb(words), kBadInput);
  WriteOutput("", text);
  return kSuccess;
}

int RunVerb(const Verb& verb, const Words& words) {
  try {
    const Arguments arguments = ParseArguments(verb, words);
    if (arguments.Has("help")) {
      WriteOutput("", HelpText(verb));
      return kSuccess;
    }
    RefuseInputs(arguments.Get("output"), InputsOf(verb, arguments));
    return verb.run(verb, arguments);
  } catch (const SpecError& error) {
    return Complain(error.what(), kBadInput);  // names the file itself
  } catch (const Error& error) {
    return Complain("roofcast " + std::string(verb.name) + ": " + error.what(), kBadInput);
  }
}

int Run(Words words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") return Help({});
  if (words[0] == "--version") {
    WriteOutput("", VersionText());
    return kSuccess;
  }
  if (words[0] == "help") return Help({words.begin() + 1, words.end()});
  if (IsOfCalibrate(words[0])) return StartCalibrate(words);
  const bool asks_help = words.size() > 1 && (words[1] == "--help" || words[1] == "-h");
  if (asks_help && FindVerb(words[0]) == nullptr) return Help({words[0]});
  const Words given = words;
  const Verb* verb = TakeVerb(words);
  if (verb == nullptr) return Complain(NoVerb(given), kBadInput);
  std::replace(words.begin(), words.end(), std::string("-h"), std::string("--help"));
  return RunVerb(*verb, words);
}

}  // namespace
}  // namespace roofcast::cli

int main(int argc, char** argv) {
  using namespace roofcast::cli;
  // A reader that stops early, or a limit on the size of files, makes write() fail instead of
  // ending the program without a word.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return Run({argv + std::min(argc, 1), argv + argc});
  } catch (const roofcast::ReaderGone&) {
    return kSuccess;
  } catch (const roofcast::OutputError& error) {
    std::cerr << "roofcast: " << (error.is_stdout() ? "" : "--output: ") << error.what() << "\n";
  } catch (const std::bad_alloc&) {
    std::cerr << "roofcast: out of memory; ask for fewer rows or a smaller model\n";
  } catch (const std::exception& error) {
    std::cerr << "roofcast: " << error.what() << "\n";
  }
  return kFailure;
}
