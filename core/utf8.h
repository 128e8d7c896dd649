// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace roofcast {

// The code point that starts at `at`, which moves past it. A byte that starts none gives nullopt,
// and `at` moves past that one byte. Overlong forms and surrogates are none.
std::optional<char32_t> NextCodePoint(std::string_view text, std::size_t& at);

// Offset of the first byte that is no UTF-8, or npos.
std::size_t FindBadUtf8(std::string_view text);

// A character that a terminal obeys instead of showing, or that changes how its neighbours look:
// controls (C0, C1, DEL), bidirectional marks, line separators, invisible joiners.
bool IsControl(char32_t point);

// Columns that the text takes in a terminal: 2 for East Asian wide characters and emoji, 0 for
// combining marks, else 1. Near enough to align tables; terminals themselves differ.
std::size_t DisplayWidth(std::string_view text);

}  // namespace roofcast
