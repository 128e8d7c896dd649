// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/arguments.h"

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "models/llm/described/argument_names.h"

namespace roofcast::internal {
namespace {

constexpr std::size_t kLargestText = 1U << 20U;
constexpr std::size_t kMostProblems = 100;

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Without the quotes of a shell around it.
std::string Unquoted(std::string_view token) {
  const bool quoted =
      token.size() >= 2 && (token[0] == '"' || token[0] == '\'') && token.back() == token[0];
  return std::string(quoted ? token.substr(1, token.size() - 2) : token);
}

std::string Shown(std::string_view name) {
  return "--" + Printable(name);
}

}  // namespace

ArgumentReader::ArgumentReader(std::string_view text, std::string file) : file_(std::move(file)) {
  if (text.size() > kLargestText) {
    throw SpecError({{{file_, 0, 0}, "", "larger than 1 MiB", "give a file of arguments"}});
  }
  Split(text);
}

// Words between spaces; '#' at the start of one ends the line, and a lone '\' continues it.
void ArgumentReader::Split(std::string_view text) {
  int line = 1;
  std::size_t line_start = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (IsSpace(text[at])) {
      if (text[at++] == '\n') {
        ++line;
        line_start = at;
      }
      continue;
    }
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && !IsSpace(text[at])) ++at;
    const std::string_view token = text.substr(start, at - start);
    if (token == "\\") continue;
    Accept(std::string(token), {file_, line, static_cast<int>(start - line_start) + 1});
  }
}

void ArgumentReader::Accept(const std::string& token, const Location& where) {
  if (token.starts_with("--") && token.size() > 2) {
    const std::size_t equals = token.find('=');
    Argument argument{
        token.substr(2, equals == std::string::npos ? equals : equals - 2), {}, where};
    if (equals != std::string::npos) argument.values.push_back(Unquoted(token.substr(equals + 1)));
    arguments_.push_back(std::move(argument));
  } else if (!arguments_.empty()) {
    arguments_.back().values.push_back(Unquoted(token));
  } else if (problems_.size() < kMostProblems) {
    problems_.push_back({where,
                         "",
                         Quoted(token) + " is not an argument",
                         "keep the arguments alone, from the first --name on"});
  }
}

void ArgumentReader::Complain(std::string_view name, std::string text, std::string cure) {
  if (problems_.size() >= kMostProblems) return;
  Location where{file_, 0, 0};
  for (const Argument& argument : arguments_) {
    if (argument.name == name) where = argument.where;
  }
  problems_.push_back({where, name.empty() ? "" : Shown(name), std::move(text), std::move(cure)});
}

const Argument* ArgumentReader::Find(std::string_view name) {
  const Argument* found = nullptr;
  const bool first = asked_.emplace(name).second;
  for (const Argument& argument : arguments_) {
    if (argument.name != name) continue;
    if (found != nullptr && first) Complain(name, "is given twice", "keep one of them");
    found = &argument;
  }
  return found;
}

const Argument* ArgumentReader::WithOneValue(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr || argument->values.size() == 1) return argument;
  Complain(name, "needs one value", "");
  return nullptr;
}

std::optional<std::int64_t> ArgumentReader::Count(std::string_view name) {
  const Argument* argument = WithOneValue(name);
  if (argument == nullptr) return std::nullopt;
  constexpr std::int64_t kLargest = 1'000'000'000;
  const auto value = ParseInteger(argument->values[0]);
  if (value && *value >= 1 && *value <= kLargest) return value;
  Complain(
      name,
      Quoted(argument->values[0]) + " is not a whole number from 1 to " + std::to_string(kLargest),
      "write the number itself");
  return std::nullopt;
}

std::int64_t ArgumentReader::Needed(std::string_view name) {
  if (Find(name) == nullptr) Complain("", Shown(name) + " is missing", "add it");
  return Count(name).value_or(1);
}

std::optional<std::string> ArgumentReader::Word(std::string_view name) {
  const Argument* argument = WithOneValue(name);
  if (argument == nullptr) return std::nullopt;
  return argument->values[0];
}

bool ArgumentReader::Flag(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return false;
  if (!argument->values.empty()) Complain(name, "takes no value", "");
  return true;
}

void ArgumentReader::RefuseUnread() {
  std::vector<std::string> absent;
  for (const std::string& name : asked_) {
    if (Find(name) == nullptr) absent.push_back(name);
  }
  for (const Argument& argument : arguments_) {
    if (asked_.contains(argument.name)) continue;
    const bool harmless = ArgumentIsHarmless(argument.name);
    const auto misspelt = harmless ? std::nullopt : MisspeltName(argument.name, absent);
    if (!misspelt && !ArgumentMayShape(argument.name)) continue;
    const auto nearest = misspelt ? misspelt : NearestName(argument.name, absent);
    Complain(
        argument.name,
        "not understood, and it may shape the model",
        nearest ? "did you mean '--" + *nearest + "'?" : "remove it if no tensor depends on it");
  }
}

void ArgumentReader::ThrowIfAny() const {
  if (!problems_.empty()) throw SpecError(problems_);
}

}  // namespace roofcast::internal
