// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofcast {

inline constexpr int kFolds = 5;

// The fold of cross-validation that a row belongs to: the SHA-256 of its key, read as one number,
// mod kFolds. It depends on nothing else, so rows of a shape stay together whatever file they come
// from.
int FoldOf(std::string_view key);

}  // namespace roofcast
