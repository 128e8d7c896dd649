// SPDX-License-Identifier: Apache-2.0
// The only file that includes CLI11, which takes seconds to compile: it splits words, and what it
// can't make sense of comes back as "remaining", so that every message is ours.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "core/error.h"
#include "core/text.h"

namespace roofcast::cli {
namespace {

std::string Dashed(std::string_view name) {
  return "--" + std::string(name);
}

// A word that looks like a flag but is none of this verb.
[[noreturn]] void RefuseUnknown(const Verb& verb, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  std::string owners;
  for (const Verb& other : Verbs()) {
    for (const Flag& flag : other.flags) {
      if (Dashed(flag.name) != name) continue;
      owners += (owners.empty() ? "'roofcast " : ", 'roofcast ") + std::string(other.name) + "'";
    }
  }
  if (!owners.empty()) {
    throw ArgumentError(name + ": no flag of this verb; it belongs to " + owners);
  }
  std::vector<std::string> known;
  for (const Flag& flag : verb.flags) known.push_back(Dashed(flag.name));
  const std::string nearest = DidYouMean(name, known);
  throw ArgumentError(Printable(name) + ": unknown flag" +
                      (nearest.empty()
                           ? "; 'roofcast " + std::string(verb.name) + " --help' lists the flags"
                           : nearest));
}

std::string ValueOf(const Flag& flag, const std::vector<std::string>& results) {
  const std::string name = Dashed(flag.name);
  if (flag.kind == FlagKind::kSwitch) {
    const bool bare = std::all_of(
        results.begin(), results.end(), [](const std::string& result) { return result == "true"; });
    if (!bare) throw ArgumentError(name + ": takes no value; write " + name + " alone");
    return "";
  }
  if (results.size() > 1) {
    throw ArgumentError(name + ": given twice; " +
                        (flag.kind == FlagKind::kNumbers
                             ? "write a list, as " + name + " " + Printable(results[0]) + "," +
                                   Printable(results[1])
                             : "keep one of them"));
  }
  // CLI11 takes the next word as the value, whatever it is.
  if (results.front().empty() || results.front().starts_with("--")) {
    throw ArgumentError(name + ": has no value; write " + name + " " + std::string(flag.value));
  }
  return results.front();
}

void RequireFlags(const Verb& verb, const Arguments& arguments) {
  std::string missing;
  int count = 0;
  for (const Flag& flag : verb.flags) {
    if (!flag.required || arguments.Has(flag.name)) continue;
    missing += (missing.empty() ? "" : ", ") + Dashed(flag.name);
    ++count;
  }
  if (count == 0) return;
  throw ArgumentError(missing + (count > 1 ? ": are" : ": is") + " missing; write for example\n  " +
                      std::string(verb.examples.front()));
}

}  // namespace

Arguments ParseArguments(const Verb& verb, const std::vector<std::string>& words) {
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (const Flag& flag : verb.flags) {
    const std::string name = Dashed(flag.name) + (flag.also.empty() ? "" : "," + Dashed(flag.also));
    if (flag.kind == FlagKind::kSwitch) {
      options.push_back(app.add_flag(name));
    } else {
      options.push_back(app.add_option(name)->take_all());
    }
  }
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 wants it reversed
  } catch (const CLI::ArgumentMismatch&) {
    // Only the last word can lack its value: an option eats whatever follows it.
    const std::string last = words.back().substr(0, words.back().find('='));
    for (const Flag& flag : verb.flags) {
      if (Dashed(flag.name) == last) ValueOf(flag, {""});
    }
    throw ArgumentError(Printable(last) + ": has no value; write one");
  } catch (const CLI::Error& error) {
    throw ArgumentError(Printable(error.what()) + "; 'roofcast " + std::string(verb.name) +
                        " --help' lists the flags");
  }

  Arguments arguments;
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-') RefuseUnknown(verb, word);
    arguments.names.push_back(word);
  }
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (options[i]->count() == 0) continue;
    arguments.flags.emplace(verb.flags[i].name, ValueOf(verb.flags[i], options[i]->results()));
  }
  if (arguments.Has("help")) return arguments;
  if (arguments.names.size() > verb.most_names) {
    const std::string extra = Printable(arguments.names[verb.most_names]);
    throw ArgumentError("'" + extra + "': " +
                        (verb.most_names == 0 ? "no names are taken here; write flags, as --model "
                                              : "one name too many; leave out ") +
                        extra);
  }
  RequireFlags(verb, arguments);
  return arguments;
}

}  // namespace roofcast::cli
