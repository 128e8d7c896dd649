// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

// Where a value was read: file:line:column, 1-based, columns in bytes; line 0 means "the file as a
// whole".
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};
std::string Format(const Location& where);

// Base of everything that bad input may cause. Messages read `place: thing: what is wrong; what
// to do`. "Does not fit in memory" is a result, never an Error.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One thing wrong in a file.
struct Problem {
  Location where;
  std::string key_path;  // "memory.bandwidth"; empty for the file as a whole
  std::string text;      // what is wrong
  std::string cure;      // what to do; may be empty
};
std::string Format(const Problem& problem);

// A file, or keys of it, is wrong. Collects every problem of the file, one line each.
class SpecError : public Error {
 public:
  explicit SpecError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const { return problems_; }

 private:
  std::vector<Problem> problems_;
};

// A name that nothing is called by.
class NotFoundError : public Error {
 public:
  using Error::Error;
};

// A value that can't be used, alone or with others: "tp=3: does not divide 64 query heads; use
// 1, 2, 4, 8, 16, 32 or 64".
class ArgumentError : public Error {
 public:
  using Error::Error;
};

namespace internal {
[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);
}

// For our own bugs only: throws std::logic_error naming the place.
#define ROOFCAST_CHECK(condition)                                                        \
  do {                                                                                   \
    if (!(condition)) ::roofcast::internal::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)

}  // namespace roofcast
