// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"

namespace roofcast::internal {

// `--name value ...` or `--name=value`, and where it stands.
struct Argument {
  std::string name;  // without the dashes
  std::vector<std::string> values;
  Location where;
};

// Reads the arguments of a training script, as ConfigReader reads a config: problems are
// collected, and what was not asked for is refused at the end if its name says that it may shape
// the model.
class ArgumentReader {
 public:
  ArgumentReader(std::string_view text, std::string file);

  // A whole number from 1; nothing when the argument is not there.
  std::optional<std::int64_t> Count(std::string_view name);
  std::int64_t Needed(std::string_view name);
  std::optional<std::string> Word(std::string_view name);
  bool Flag(std::string_view name);

  void Complain(std::string_view name, std::string text, std::string cure = "");
  void RefuseUnread();
  void ThrowIfAny() const;
  bool ok() const { return problems_.empty(); }

 private:
  void Split(std::string_view text);
  void Accept(const std::string& token, const Location& where);
  const Argument* Find(std::string_view name);
  const Argument* WithOneValue(std::string_view name);

  std::string file_;
  std::vector<Argument> arguments_;
  std::set<std::string, std::less<>> asked_;
  std::vector<Problem> problems_;
};

}  // namespace roofcast::internal
