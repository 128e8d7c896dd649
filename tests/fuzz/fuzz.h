// SPDX-License-Identifier: Apache-2.0
// What the fuzzers share. roofcast::Error is how bad input is answered; whatever else escapes, and
// every sanitizer report, is a fault.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/error.h"

namespace roofcast::fuzzing {

inline std::string_view TextOf(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Whether `call` succeeded; false when it refused its input with a message.
template <class Call>
bool Accepts(const Call& call) {
  try {
    call();
    return true;
  } catch (const Error& error) {
    if (std::string_view(error.what()).empty()) std::abort();
    return false;
  }
}

// What must hold of every input.
inline void Require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace roofcast::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
