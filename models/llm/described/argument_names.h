// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace roofcast::internal {

// True when the name of an argument of Megatron-LM, without its dashes, says that it may change the
// shape of a tensor or the work of a layer, and it is not known to be harmless.
bool ArgumentMayShape(std::string_view name);

// True when it is known to be harmless.
bool ArgumentIsHarmless(std::string_view name);

}  // namespace roofcast::internal
