// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/steps/step_time.h"

namespace roofcast {

// One line: what was asked, the answer and what limits it.
//   decode  llama-3.1-70b on h100-sxm:8, tp8: 14.3 ms a step, 2 240 tokens/s, limited by memory
std::string FormatAnswer(const StepTime& step);

// The answer, whether it fits, what was assumed, both ledgers and the sources, for people: at most
// 100 columns, figures rounded, children below 1 % of the whole gathered in one line. JSON
// (models/steps/json.h) has everything. Ends with a line's end.
std::string FormatReport(const StepTime& step);

// The tables of FormatReport alone.
std::string FormatBreakdown(const StepTime& step);
std::string FormatMemory(const MemoryReport& memory);

}  // namespace roofcast
