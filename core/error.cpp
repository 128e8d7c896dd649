// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <utility>

#include "core/text.h"

namespace roofcast {

std::string Format(const Location& where) {
  std::string file = Printable(where.file);
  if (where.line == 0) return file;
  return file + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

std::string Format(const Problem& problem) {
  std::string text = Format(problem.where);
  if (!text.empty()) text += ": ";
  if (!problem.key_path.empty()) text += Printable(problem.key_path) + ": ";
  text += problem.text;
  if (!problem.cure.empty()) text += "; " + problem.cure;
  return text;
}

namespace {
std::string Join(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text += "\n";
    text += Format(problem);
  }
  return text;
}
}  // namespace

SpecError::SpecError(std::vector<Problem> problems)
    : Error(Join(problems)), problems_(std::move(problems)) {}

void internal::CheckFailed(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": internal error: " + condition + " does not hold; please report this");
}

}  // namespace roofcast
