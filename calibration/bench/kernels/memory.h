// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/quantity.h"

namespace roofcast::bench {

// Memory that begins on a page, filled with small random numbers in bf16; two neighbours are also a
// small number in fp32, and two int8. Every page was touched.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);
  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
};

// Hands out pieces of a buffer in turn, so that each was last touched a whole buffer ago: when it
// is several times the last cache, weights and KV cache read through it come from memory, as
// those of a large model do.
class ColdPool {
 public:
  explicit ColdPool(std::size_t bytes) : buffer_(bytes) {}
  std::size_t size() const { return buffer_.size(); }
  // A piece of so many bytes, at most size(); it begins on a page.
  std::byte* Next(std::size_t bytes);

 private:
  Buffer buffer_;
  std::size_t at_ = 0;
};

// Reads every byte, and a[i] = b[i] + s c[i] over three arrays of `bytes` / 3 each, split over the
// threads. Read returns a sum, so that nothing can be left out.
float ReadAll(const Buffer& buffer, std::size_t bytes);
void Triad(Buffer& buffer, std::size_t bytes);

}  // namespace roofcast::bench
