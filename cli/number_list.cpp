// SPDX-License-Identifier: Apache-2.0
#include "cli/number_list.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "core/text.h"

namespace roofcast::cli {
namespace {

// Larger counts have no meaning here and would overflow products of them.
constexpr std::int64_t kLargest = 1'000'000'000'000;

[[noreturn]] void Refuse(std::string_view flag, const std::string& what) {
  throw ArgumentError("--" + std::string(flag) + ": " + what);
}

std::int64_t ParseOne(std::string_view flag, std::string_view text) {
  const std::string quoted = "'" + Printable(text) + "'";
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    Refuse(flag,
           quoted +
               " is not a whole number; write one (8), a list (1,2,4) or a range "
               "(1..8, 0..100+20, 1..256*2)");
  }
  const auto value = ParseInteger(text);
  if (!value || *value > kLargest || *value < -kLargest) {
    Refuse(flag, quoted + " is too large; use at most 1000000000000");
  }
  return *value;
}

void AppendRange(std::string_view flag, std::string_view text, std::vector<std::int64_t>& values) {
  const std::string quoted = "'" + Printable(text) + "'";
  const std::size_t dots = text.find("..");
  const std::string_view rest = text.substr(dots + 2);
  const std::size_t sign = rest.find_first_of("*+");
  const std::int64_t first = ParseOne(flag, text.substr(0, dots));
  const std::int64_t last = ParseOne(flag, rest.substr(0, sign));
  const bool geometric = sign != std::string_view::npos && rest[sign] == '*';
  const std::int64_t step =
      sign == std::string_view::npos ? 1 : ParseOne(flag, rest.substr(sign + 1));
  if (last < first) Refuse(flag, quoted + " runs backwards; write the smaller number first");
  if (geometric && (step < 2 || first < 1)) {
    Refuse(flag, quoted + " never ends; start at 1 or more and multiply by 2 or more");
  }
  if (step < 1) Refuse(flag, quoted + " never ends; step by 1 or more");
  for (std::int64_t value = first; value <= last;) {
    if (static_cast<std::int64_t>(values.size()) >= kMostRows) {
      Refuse(flag, quoted + " has more than 100000 values; take larger steps");
    }
    values.push_back(value);
    if (geometric && value > last / step) break;
    value = geometric ? value * step : value + step;
  }
}

}  // namespace

std::vector<std::int64_t> ParseNumberList(std::string_view flag, std::string_view text) {
  std::vector<std::int64_t> values;
  for (const std::string& item : Split(text, ',')) {
    if (item.find("..") != std::string::npos) {
      AppendRange(flag, item, values);
    } else {
      values.push_back(ParseOne(flag, item));
    }
  }
  if (static_cast<std::int64_t>(values.size()) > kMostRows) {
    Refuse(flag, "more than 100000 values; ask for fewer");
  }
  return values;
}

}  // namespace roofcast::cli
