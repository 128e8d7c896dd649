// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/quantity.h"

namespace roofcast::bench {

// How long something took: on the wall, and on the processor in the calling thread. They differ
// when the thread was put aside for others.
struct Timing {
  Seconds wall;
  Seconds cpu;
};

// Starts when it is made.
class Stopwatch {
 public:
  Stopwatch();
  Timing Elapsed() const;

 private:
  Timing start_;
};

// Which of the two counts. One thread: that of the processor, which leaves out the time that other
// programs took. Several: the wall's, since the calling thread waits for the others.
Seconds Counted(const Timing& timing, int threads);

// Range: at least one value.
double Median(std::vector<double> values);
// Distance of the quartiles over the median: half of all repeats lie in such a band.
double SpreadOf(const std::vector<double>& values);

// The repeats of one case, one of each round.
struct Repeats {
  std::vector<Timing> timings;

  Seconds Time(int threads) const;   // median
  double Spread(int threads) const;  // 0.05: the middle half within 5 %
  double Busy() const;               // median of wall / cpu: 1 when nobody else wanted the core
};

// Whether the machine was quiet enough for its figures to be believed, over all cases.
struct Noise {
  double spread = 0;  // of the median case
  double worst = 0;   // of the case at the 90th percentile
  double busy = 1;    // wall over processor time, median
  double drift = 0;   // largest over smallest round, less 1; a round by the median of its cases
  bool IsQuiet() const;
};
// Range: at least one case; all have as many repeats.
Noise NoiseOf(const std::vector<Repeats>& cases, int threads);

// A few lines: the figures, which of them are too large, and what would help.
std::string Describe(const Noise& noise);

}  // namespace roofcast::bench
