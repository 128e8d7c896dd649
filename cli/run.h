// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/verb.h"

namespace roofcast::cli {

inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kBadInput = 2;

// One function a verb; each returns the exit status.
int RunPredictTrain(const Verb& verb, const Arguments& arguments);
int RunPredictPrefill(const Verb& verb, const Arguments& arguments);
int RunPredictDecode(const Verb& verb, const Arguments& arguments);
int RunFlops(const Verb& verb, const Arguments& arguments);
int RunMemory(const Verb& verb, const Arguments& arguments);
int RunMemoryTrain(const Verb& verb, const Arguments& arguments);
int RunList(const Verb& verb, const Arguments& arguments);
int RunShow(const Verb& verb, const Arguments& arguments);
int RunValidate(const Verb& verb, const Arguments& arguments);
int RunLint(const Verb& verb, const Arguments& arguments);

// Hands the words to `roofcast-calibrate`, which lies beside this program when it was built. Only
// comes back to say how to get it.
int StartCalibrate(const std::vector<std::string>& words);

// Files that the flags and names of a verb may stand for; lint knows its own. Only what exists
// under --output matters: without it the list is empty.
std::vector<std::string> InputsOf(const Verb& verb, const Arguments& arguments);

// How the answer is written.
enum class OutputFormat : std::uint8_t { kText, kJson, kCsv };
// Throws ArgumentError when both --json and --csv stand there.
OutputFormat FormatOf(const Arguments& arguments);

}  // namespace roofcast::cli
