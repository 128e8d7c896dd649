// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "core/embedded.h"
#include "core/version.h"

int main() {
  if (roofcast::EmbeddedFiles().empty()) return 1;
  std::printf("roofcast %s, %zu files in the catalog\n",
              roofcast::kVersion.data(),
              roofcast::EmbeddedFiles().size());
}
