// SPDX-License-Identifier: Apache-2.0
#include "models/steps/report_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/text.h"
#include "core/units.h"

namespace roofcast {

std::string FormatThousands(double count) {
  std::array<char, 64> buffer{};
  const bool small = std::fabs(count) < 100 && std::fabs(count - std::round(count)) > 0.05;
  std::snprintf(buffer.data(), buffer.size(), "%.*f", small ? 1 : 0, count);
  std::string text = buffer.data();
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t end = std::min(text.find('.'), text.size()); end > first + 3;) {
    end -= 3;
    text.insert(end, 1, ' ');
  }
  return text;
}

std::string FormatCounted(std::int64_t count, std::string_view one) {
  return FormatThousands(static_cast<double>(count)) + " " + std::string(one) +
         (count == 1 ? "" : "s");
}

std::string FormatPercent(double share) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f %%", share >= 0.0995 ? 0 : 1, share * 100);
  return buffer.data();
}

std::string FormatStepTime(Seconds time) {
  if (time < Seconds(60) || !(time < Seconds(10'000))) return Format(time);
  return FormatThousands(time.value()) + " s";
}

void AddLabelled(std::string& out, std::string_view label, std::string_view text) {
  constexpr std::size_t kColumns = 100;
  constexpr std::size_t kLabel = 10;  // "assumed   "
  std::string line(label);
  line.resize(kLabel, ' ');
  bool empty = true;
  for (const std::string& word : Split(Printable(text), ' ')) {
    if (!empty && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line = std::string(kLabel, ' ');
      empty = true;
    }
    line += (empty ? "" : " ") + word;
    empty = false;
  }
  out += line + "\n";
}

}  // namespace roofcast
