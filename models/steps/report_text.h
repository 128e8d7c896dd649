// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/quantity.h"

namespace roofcast {

// Pieces of text that reports and tables for people are made of.

std::string FormatThousands(double count);                            // "2 240", "18.3" below 100
std::string FormatCounted(std::int64_t count, std::string_view one);  // "1 figure", "2 figures"
std::string FormatPercent(double share);                              // 0.123 -> "12 %"
std::string FormatStepTime(Seconds time);  // minutes in seconds, so that steps can be compared

// Appends a label and text beside it, wrapped at spaces to 100 columns.
void AddLabelled(std::string& out, std::string_view label, std::string_view text);

}  // namespace roofcast
