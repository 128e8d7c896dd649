// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/attention_tiles.h"

#include <algorithm>
#include <cmath>

#include "core/scalar.h"

namespace roofcast {
namespace {

// Whole numbers as doubles: exact below 2^53, and beyond it a good approximation instead of an
// overflow.
double Divide(double a, double b) {
  return std::floor(a / b);
}
double DivideUp(double a, double b) {
  return std::ceil(a / b);
}

// sum over i in [0, n) of floor((a i + b) / m), for a, b >= 0.
double FloorSum(double n, double m, double a, double b) {
  double sum = 0;
  while (n > 0) {
    sum += n * (n - 1) / 2 * Divide(a, m) + n * Divide(b, m);
    a = std::fmod(a, m);
    b = std::fmod(b, m);
    const double last = a * n + b;
    if (last < m) break;
    // The points below the line, counted along the other axis.
    n = Divide(last, m);
    b = std::fmod(last, m);
    std::swap(a, m);
  }
  return sum;
}
double FloorSum(double from, double to, double m, double a, double b) {
  return to > from ? FloorSum(to - from, m, a, a * from + b) : 0;
}

// Query i sees the keys from i + before - behind to i + ahead, as far as there are such.
class Walk {
 public:
  Walk(const Attention& op, const AttentionTile& tile)
      : rows_(Number(tile.rows)),
        keys_(Number(tile.keys)),
        group_(Number(tile.group)),
        queries_(Number(op.queries)),
        all_keys_(Number(op.keys)),
        before_(Number(op.keys - op.queries)),
        chunk_(Number(op.chunk)),
        count_(DivideUp(queries_ * group_, rows_)) {
    const double side = Number((op.window - 1) / 2);
    ahead_ = op.causal ? before_ : op.window > 0 ? side : all_keys_;
    // A window of all the keys and the queries hides none.
    behind_ = op.window == 0 ? all_keys_ : op.causal ? Number(op.window - 1) : side;
    if (!op.causal) before_ = 0;
    unclipped_ =
        std::clamp(DivideUp((all_keys_ - ahead_) * group_ - rows_ + 1, rows_), 0.0, count_);
    from_first_key_ = std::clamp(DivideUp((behind_ - before_) * group_, rows_), 0.0, count_);
  }

  TileCounts Count() const { return {count_, LastTiles() - FirstTiles() + count_, Longest()}; }

 private:
  // A chunk's first key lies in the middle of a key tile, and there are few enough to go through.
  bool GoesThrough() const {
    return chunk_ > 0 && std::fmod(chunk_, keys_) != 0 && count_ <= kMostSteps;
  }

  double FirstTile(double i) const {
    const double position = Divide(i * rows_, group_) + before_;
    const double first = chunk_ > 0 ? Divide(position, chunk_) * chunk_ : position - behind_;
    return Divide(std::max(0.0, first), keys_);
  }
  double LastTile(double i) const {
    const double query = Divide((i + 1) * rows_ - 1, group_);
    return Divide(std::min(query + ahead_, all_keys_ - 1), keys_);
  }

  double LastTiles() const {
    const double within =
        FloorSum(0, unclipped_, group_ * keys_, rows_, rows_ - 1 + ahead_ * group_);
    return within + (count_ - unclipped_) * Divide(all_keys_ - 1, keys_);
  }
  double FirstTiles() const {
    if (GoesThrough()) {
      double sum = 0;
      for (double i = 0; i < count_; ++i) sum += FirstTile(i);
      return sum;
    }
    if (chunk_ > 0) {
      return chunk_ / keys_ * FloorSum(0, count_, group_ * chunk_, rows_, before_ * group_);
    }
    return FloorSum(from_first_key_, count_, group_ * keys_, rows_, (before_ - behind_) * group_);
  }

  // Lengths grow until the window leaves the first key and then repeat, as i R mod g K does; a
  // chunk's are longest at its end.
  double Longest() const {
    double longest = 0;
    const auto look = [&](double from, double to) {
      for (double i = std::max(0.0, from); i < std::min(to, count_); ++i) {
        longest = std::max(longest, LastTile(i) - FirstTile(i) + 1);
      }
    };
    look(count_ - 1, count_);
    if (chunk_ > 0) {
      const double in_chunk = DivideUp(chunk_ * group_, rows_) + 1;
      look(std::max(count_ - std::min(kMostSteps, 64 * in_chunk), 0.0), count_);
    } else {
      look(from_first_key_ - 1, from_first_key_ + kPeriod);
    }
    return longest;
  }

  static constexpr double kMostSteps = 65536;
  static constexpr double kPeriod = 1024;  // of g K / gcd(R, g K): more than any kernel has

  double rows_, keys_, group_, queries_, all_keys_, before_, chunk_, count_;
  double ahead_ = 0;
  double behind_ = 0;
  double unclipped_ = 0;       // CTAs before the last key cuts a view short
  double from_first_key_ = 0;  // CTAs that see the first key
};

}  // namespace

TileCounts CountTiles(const Attention& op, const AttentionTile& tile) {
  return Walk(op, tile).Count();
}

}  // namespace roofcast
