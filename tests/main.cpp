// SPDX-License-Identifier: Apache-2.0
// Alone in its file: doctest's implementation takes seconds to compile.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
