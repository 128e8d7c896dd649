// SPDX-License-Identifier: Apache-2.0
#include "core/utf8.h"

#include <algorithm>
#include <array>

namespace roofcast {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool Within(const std::array<Range, N>& ranges, char32_t point) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
    return point >= range.first && point <= range.last;
  });
}

// Blocks of Unicode 15 that hold nothing but marks on the character before them.
constexpr std::array kCombining = {Range{0x0300, 0x036F},
                                   Range{0x0483, 0x0489},
                                   Range{0x0591, 0x05BD},
                                   Range{0x064B, 0x065F},
                                   Range{0x1AB0, 0x1AFF},
                                   Range{0x1DC0, 0x1DFF},
                                   Range{0x20D0, 0x20FF},
                                   Range{0xFE00, 0xFE0F},
                                   Range{0xFE20, 0xFE2F},
                                   Range{0x1F3FB, 0x1F3FF}};
// Blocks whose characters are East Asian wide, and the emoji that terminals draw wide.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},
    Range{0x25FD, 0x25FE},   Range{0x2614, 0x2615},   Range{0x2648, 0x2653},
    Range{0x26A1, 0x26A1},   Range{0x2705, 0x2705},   Range{0x274C, 0x274C},
    Range{0x2E80, 0x303E},   Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},
    Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},   Range{0xA960, 0xA97F},
    Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF01, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F},
    Range{0x1F680, 0x1F6FF}, Range{0x1F900, 0x1F9FF}, Range{0x1FA70, 0x1FAFF},
    Range{0x20000, 0x3FFFD}};
constexpr std::array kControls = {Range{0x00, 0x1F},
                                  Range{0x7F, 0x9F},
                                  Range{0x200B, 0x200F},
                                  Range{0x2028, 0x202E},
                                  Range{0x2060, 0x206F},
                                  Range{0xFEFF, 0xFEFF},
                                  Range{0xFFF9, 0xFFFB},
                                  Range{0xE0000, 0xE007F}};

}  // namespace

std::optional<char32_t> NextCodePoint(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  const std::size_t start = at++;
  if (lead < 0x80) return lead;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || start + length > text.size()) return std::nullopt;
  char32_t point = lead & (0x7FU >> length);
  for (std::size_t i = start + 1; i < start + length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return std::nullopt;
    point = (point << 6U) | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < kSmallest[length] || point > 0x10FFFF || surrogate) return std::nullopt;
  at = start + length;
  return point;
}

std::size_t FindBadUtf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t start = at;
    if (!NextCodePoint(text, at)) return start;
  }
  return std::string_view::npos;
}

bool IsControl(char32_t point) {
  return Within(kControls, point);
}

std::size_t DisplayWidth(std::string_view text) {
  std::size_t width = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const char32_t point = NextCodePoint(text, at).value_or(0xFFFD);
    if (point < 0x300) {
      ++width;
    } else if (!Within(kCombining, point)) {
      width += Within(kWide, point) ? 2 : 1;
    }
  }
  return width;
}

}  // namespace roofcast
