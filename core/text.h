// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

// A name with case folded, space, '-', '_' and U+2011 made equal and space around it dropped: the
// form in which names of models, devices and clusters are compared.
std::string NormaliseName(std::string_view name);

// The candidate that is closest to a misspelt name, if any is close enough to be meant: a letter in
// three may be wrong, or the name may be the beginning of the candidate.
std::optional<std::string> NearestName(std::string_view name,
                                       const std::vector<std::string>& candidates);

// The candidate that a word is most likely a misspelling of: the same letters and digits, or two of
// them wrong (one in a short word). Stricter than NearestName: what it finds is no other word.
std::optional<std::string> MisspeltName(std::string_view name,
                                        const std::vector<std::string>& candidates);

// "; did you mean 'x'?" or "".
std::string DidYouMean(std::string_view name, const std::vector<std::string>& candidates);

// "1, 2, 4 or 8".
std::string JoinWithOr(const std::vector<std::string>& words);

// Whole-string conversions; nullopt unless all of `text` is the number. No inf, no nan.
std::optional<std::int64_t> ParseInteger(std::string_view text);
std::optional<double> ParseNumber(std::string_view text);
// Numbers with blanks or line ends between them.
std::optional<std::vector<double>> ParseNumbers(std::string_view text);

// Shortest text that reads back as the same double.
std::string FormatExact(double value);

std::string_view Trim(std::string_view text);
std::vector<std::string> Split(std::string_view text, char separator);

// What the terminal shows of `text`: control characters and bytes that are no UTF-8 become visible
// escapes, so that a name from a file can't drive the terminal or break the output's encoding.
std::string Printable(std::string_view text);
// The same in single quotes and cut at 80 bytes: how messages repeat what somebody wrote.
std::string Quoted(std::string_view text);

}  // namespace roofcast
