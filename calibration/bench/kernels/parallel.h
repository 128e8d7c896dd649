// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The hot loops are compiled for several instruction sets, of which the loader takes the best that
// the processor has: a program built on another machine runs everywhere, and fast.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ROOFCAST_CLONES [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define ROOFCAST_CLONES
#endif

namespace roofcast::bench {

// Whether ParallelFor runs on several threads: they are those of OpenMP, which oneDNN's kernels
// run on as well, so that the two don't fight for the cores.
#ifdef _OPENMP
inline constexpr bool kHasThreads = true;
#else
inline constexpr bool kHasThreads = false;
#endif

// body(i) for every i below count, in equal runs of neighbours.
template <class Body>
void ParallelFor(std::int64_t count, const Body& body) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace roofcast::bench
