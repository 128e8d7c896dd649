// SPDX-License-Identifier: Apache-2.0
// The one place that includes nlohmann's JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/error.h"

namespace roofcast {

// A JSON value whose objects keep the order of their keys, so that what is printed is the same
// every time.
using Json = nlohmann::ordered_json;

// Reads one document. Throws SpecError with file:line:column; `file` is what messages call the
// text. Beyond what JSON forbids, a key given twice is refused, and so are more than 64 levels, 16
// MiB or 4 million values. NaN and Infinity, which Python writes by default, are refused by name.
Json ParseJson(std::string_view text, const std::string& file);

// One line, or with two spaces a level and a line's end. Text that is no UTF-8 is replaced, numbers
// that JSON lacks (NaN, infinity) become null; never throws.
std::string FormatJson(const Json& json, bool pretty = true);

// Where `offset` lies in the text.
Location LocationIn(std::string_view text, std::size_t offset, const std::string& file);

}  // namespace roofcast
