// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "calibration/bench/cuda/kernels/block.h"
#include "calibration/bench/cuda/numbers.h"

namespace roofcast::bench::cuda {

// What the threads of an emulated block share.
struct EmulatedShared {
  struct Warp {
    std::barrier<> barrier{kWarp};
    std::array<const void*, kWarp> offered{};  // what each lane shows the others
  };

  EmulatedShared(int threads, std::size_t bytes)
      : memory(bytes / sizeof(Words) + 1), barrier(threads) {
    for (int i = 0; i < threads / kWarp; ++i) warps.push_back(std::make_unique<Warp>());
  }
  std::vector<Words> memory;
  std::barrier<> barrier;
  std::vector<std::unique_ptr<Warp>> warps;
};

// A block on a CPU, one real thread for each of its own: barriers are real, so that a missing one
// is a data race; the warp's operations follow the fragment layouts of the PTX ISA.
class EmulatedBlock {
 private:
  int lane() const { return thread_ % kWarp; }

  // Shows `mine` to the warp, and lets `read` look at any lane's.
  template <class T, class Read>
  auto Exchange(const T& mine, const Read& read) const {
    warp_->offered[static_cast<std::size_t>(lane())] = &mine;
    SyncWarp();
    const auto of = [&](int other) -> const T& {
      return *static_cast<const T*>(warp_->offered[static_cast<std::size_t>(other)]);
    };
    auto result = read(of);
    SyncWarp();
    return result;
  }

 public:
  struct Place {
    int x = 0;
    int y = 0;
    int z = 0;
    int blocks = 1;
  };
  EmulatedBlock(EmulatedShared& shared, int thread, Place place)
      : shared_(&shared),
        warp_(shared.warps[static_cast<std::size_t>(thread / kWarp)].get()),
        thread_(thread),
        place_(place) {}

  int thread() const { return thread_; }
  int block_x() const { return place_.x; }
  int block_y() const { return place_.y; }
  int block_z() const { return place_.z; }
  int blocks() const { return place_.blocks; }
  void* shared() const { return shared_->memory.data(); }
  void Sync() const { shared_->barrier.arrive_and_wait(); }
  void SyncWarp() const { warp_->barrier.arrive_and_wait(); }

  static float Exp2(float x) { return std::exp2(x); }
  static float Rsqrt(float x) { return 1.0F / std::sqrt(x); }
  static std::uint32_t PackBf16(float low, float high) {
    return Bf16Of(low) | (static_cast<std::uint32_t>(Bf16Of(high)) << 16U);
  }
  static std::uint32_t PackE4m3(float x) { return E4m3Of(x); }
  // A copy is made when its group is waited for, the latest that a GPU may make it.
  void CopyAsync(void* to, const void* from, bool there) const {
    begun_.push_back({to, there ? from : nullptr});
  }
  void CommitCopies() const { groups_.push_back(std::exchange(begun_, {})); }
  template <int kLeft>
  void WaitCopies() const {
    while (groups_.size() > kLeft) {
      for (const Copy& copy : groups_.front()) {
        if (copy.from != nullptr) {
          std::memcpy(copy.to, copy.from, sizeof(Words));
        } else {
          std::memset(copy.to, 0, sizeof(Words));
        }
      }
      groups_.pop_front();
    }
  }

  float ShuffleXor(float x, int mask) const {
    return Exchange(x, [&](const auto& of) { return of(lane() ^ mask); });
  }

  Words LoadMatrices(const void* row) const {
    const auto* pointer = static_cast<const std::uint16_t*>(row);
    return Exchange(pointer, [&](const auto& row_of) {
      Words words{};
      for (int matrix = 0; matrix < 4; ++matrix) {
        const std::uint16_t* from = row_of(8 * matrix + lane() / 4) + 2 * (lane() % 4);
        words.word[matrix] = from[0] | (static_cast<std::uint32_t>(from[1]) << 16U);
      }
      return words;
    });
  }
  Words LoadMatricesTransposed(const void* row) const {
    const auto* pointer = static_cast<const std::uint16_t*>(row);
    return Exchange(pointer, [&](const auto& row_of) {
      Words words{};
      for (int matrix = 0; matrix < 4; ++matrix) {
        const int first = 8 * matrix + 2 * (lane() % 4);
        const int column = lane() / 4;
        words.word[matrix] =
            row_of(first)[column] | (static_cast<std::uint32_t>(row_of(first + 1)[column]) << 16U);
      }
      return words;
    });
  }

  void Multiply(float (&d)[4],
                const std::uint32_t (&a)[4],
                std::uint32_t b0,
                std::uint32_t b1) const {
    struct Operands {
      std::uint32_t a[4];
      std::uint32_t b[2];
    };
    const Operands mine{{a[0], a[1], a[2], a[3]}, {b0, b1}};
    Exchange(mine, [&](const auto& of) {
      const auto half = [](std::uint32_t pair, int odd) {
        return odd != 0 ? HighBf16(pair) : LowBf16(pair);
      };
      for (int i = 0; i < 4; ++i) {
        const int row = lane() / 4 + 8 * (i / 2);
        const int column = 2 * (lane() % 4) + i % 2;
        for (int k = 0; k < 16; ++k) {
          // A: row r and inner k lie with lane 4 (r % 8) + k % 8 / 2, in register r / 8 + 2 (k /
          // 8).
          const std::uint32_t left = of(4 * (row % 8) + k % 8 / 2).a[row / 8 + 2 * (k / 8)];
          const std::uint32_t right = of(4 * column + k % 8 / 2).b[k / 8];
          d[i] += half(left, k % 2) * half(right, k % 2);
        }
      }
      return 0;
    });
  }

 private:
  struct Copy {
    void* to;
    const void* from;  // null: zeros
  };

  EmulatedShared* shared_;
  EmulatedShared::Warp* warp_;
  int thread_;
  Place place_;
  mutable std::vector<Copy> begun_;
  mutable std::deque<std::vector<Copy>> groups_;
};

// Runs a kernel on a grid of blocks, one after the other.
struct EmulatedGrid {
  int x = 1;
  int y = 1;
  int z = 1;
};
template <class Kernel>
void Launch(EmulatedGrid grid, int threads, std::size_t shared_bytes, const Kernel& kernel) {
  for (int z = 0; z < grid.z; ++z) {
    for (int y = 0; y < grid.y; ++y) {
      for (int x = 0; x < grid.x; ++x) {
        EmulatedShared shared(threads, shared_bytes);
        std::vector<std::jthread> running;
        running.reserve(static_cast<std::size_t>(threads));
        for (int thread = 0; thread < threads; ++thread) {
          running.emplace_back([&, thread] {
            kernel(EmulatedBlock(shared, thread, {x, y, z, grid.x}));
          });
        }
      }
    }
  }
}

}  // namespace roofcast::bench::cuda
