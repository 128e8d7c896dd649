// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/quantity.h"

namespace roofcast {

// One measured row as far as cleaning looks at it. Rows come from one table: one file, one family.
struct CleaningRow {
  // All that decides the time: shape, number formats, device, framework, version, kernel. Rows of
  // one identity are repeats of one measurement.
  std::string identity;
  std::int64_t line = 0;  // of the file
  Seconds time;
  // What the datasheet alone asks for; both 0 where nothing is known, and only repeats are judged.
  Seconds compute;  // work / peak
  Seconds traffic;  // bytes / bandwidth, of memory or of the links
  // Whether the bytes may stay in a cache between repeats: they fit into twice the last level.
  bool cached = false;
};

// What the tests of Clean ask. None looks at a prediction, only at the datasheet. "Slowness" is a
// row's time over (datasheet time + overhead). Evidence: 58 000 rows of public microbenchmarks
// of A100, H100, H200, B200, L40S, A40, V100, T4, L4 and MI210 (aiconfigurator 095f58a, vidur
// 7d47513, neusight 6945927; MIT and Apache-2.0), of which no row is dropped. Their work takes at
// least 1.05 of its datasheet time, traffic beyond the caches 0.99, traffic that may stay in them
// 0.15; slowness is at most 590 and at most 119 times the table's 90th percentile, its median in a
// table 0.5 to 3.9. The shortest row takes 1 us.
struct CleaningLimits {
  Seconds shortest = Seconds(1e-7);  // of any operator, launch and all
  double faster = 1.5;               // than peak, or than bandwidth beyond the caches: impossible
  double faster_cached = 10;         // than bandwidth, where a cache may serve
  double slower = 1000;              // slowness: the unit is wrong
  double slower_than_most = 150;     // slowness over the 90th percentile of the table's
  double table_faster = 30;          // 1 / median slowness: milliseconds read as microseconds
  double table_slower = 100;         // median slowness: nanoseconds
  Seconds overhead = Seconds(5e-6);  // launch, which short operators consist of
  double conflict = 2;               // largest over smallest of repeats that agree
};

struct KeptRow {
  std::size_t index = 0;  // of the first row of its identity that was kept
  Seconds time;           // median of those that agree
  std::int64_t repeats = 1;
};

// Rows that were left out for one reason; the lines of the first kShownLines of them.
struct DroppedRows {
  std::string reason;
  std::int64_t count = 0;
  std::vector<std::int64_t> lines;
};
inline constexpr std::size_t kShownLines = 5;

struct Cleaned {
  std::vector<KeptRow> kept;         // in the order of the rows
  std::vector<DroppedRows> dropped;  // most first; kept repeats + dropped = rows
  std::int64_t merged = 0;           // repeats of another value that went into a median
};

// Drops what can't be: rows faster than the hardware, rows slower by three orders, repeats that
// contradict each other; merges other repeats into their median, of which those that are equal to
// the digit count once and are dropped, since a copy says nothing new. Of repeats that differ by
// more than `conflict`, those within `conflict` of the median stay if they are more than half,
// else none does.
// Throws SpecError when the median of the whole table is off by an order of units: every row is
// then wrong, and dropping the impossible ones would keep the rest. `file` names it.
Cleaned Clean(const std::vector<CleaningRow>& rows,
              const std::string& file,
              const CleaningLimits& limits = {});

// "12 rows: faster than ... (lines 3, 8, 9, 14, 20, ...)".
std::string Format(const DroppedRows& dropped);

}  // namespace roofcast
