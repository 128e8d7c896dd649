// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofcast::bench::cuda {

// The catalog's name for a GPU that its driver calls `reported`: "NVIDIA H100 80GB HBM3" is
// h100-sxm. One that the catalog doesn't know keeps its own, in kebab-case without the vendor.
std::string DeviceNameOf(std::string_view reported);

}  // namespace roofcast::bench::cuda
