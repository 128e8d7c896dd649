// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roofcast {

// SHA-256 (FIPS 180-4) of the bytes, as 64 lower-case hex digits: what `sha256sum` prints. It names
// the data that a fit or a report rests on; nothing secret depends on it.
std::string Sha256(std::string_view bytes);

}  // namespace roofcast
