// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "calibration/bench/cuda/kernels/block.h"

namespace roofcast::bench::cuda {

extern __shared__ Words shared_words[];

// The block of kernels/block.h that a GPU runs. Needs compute capability 8.0 for CopyAsync and the
// matrix product in bf16. Source of the layouts: PTX ISA, ldmatrix and mma.m16n8k16.
struct CudaBlock {
  static ROOFCAST_DEVICE int thread() { return static_cast<int>(threadIdx.x); }
  static ROOFCAST_DEVICE int block_x() { return static_cast<int>(blockIdx.x); }
  static ROOFCAST_DEVICE int block_y() { return static_cast<int>(blockIdx.y); }
  static ROOFCAST_DEVICE int block_z() { return static_cast<int>(blockIdx.z); }
  static ROOFCAST_DEVICE int blocks() { return static_cast<int>(gridDim.x); }
  static ROOFCAST_DEVICE void* shared() { return shared_words; }
  static ROOFCAST_DEVICE void Sync() { __syncthreads(); }
  static ROOFCAST_DEVICE void SyncWarp() { __syncwarp(); }

  static ROOFCAST_DEVICE float Exp2(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  }
  static ROOFCAST_DEVICE float Rsqrt(float x) { return rsqrtf(x); }
  static ROOFCAST_DEVICE float ShuffleXor(float x, int mask) {
    return __shfl_xor_sync(0xFFFFFFFFU, x, mask);
  }
  static ROOFCAST_DEVICE std::uint32_t PackBf16(float low, float high) {
    const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *reinterpret_cast<const std::uint32_t*>(&pair);
  }
  static ROOFCAST_DEVICE std::uint32_t PackE4m3(float x) {
    return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
  }

  // 16 bytes from global to shared memory, zeros when `there` is false.
  static ROOFCAST_DEVICE void CopyAsync(void* to, const void* from, bool there) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(SharedAddress(to)),
                 "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
  }
  static ROOFCAST_DEVICE void CommitCopies() {
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  // Until at most kLeft of this thread's groups are on their way.
  template <int kLeft>
  static ROOFCAST_DEVICE void WaitCopies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
  }

  // Four 8x8 matrices; lane l names row l % 8 of matrix l / 8 and gets two elements of each.
  static ROOFCAST_DEVICE Words LoadMatrices(const void* row) {
    Words w;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.word[0]), "=r"(w.word[1]), "=r"(w.word[2]), "=r"(w.word[3])
                 : "r"(SharedAddress(row))
                 : "memory");
    return w;
  }
  static ROOFCAST_DEVICE Words LoadMatricesTransposed(const void* row) {
    Words w;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.word[0]), "=r"(w.word[1]), "=r"(w.word[2]), "=r"(w.word[3])
                 : "r"(SharedAddress(row))
                 : "memory");
    return w;
  }
  // d += a b over the warp: 16x16 by 16x8 in bf16, sums in fp32.
  static ROOFCAST_DEVICE void Multiply(float (&d)[4],
                                       const std::uint32_t (&a)[4],
                                       std::uint32_t b0,
                                       std::uint32_t b1) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }

 private:
  static ROOFCAST_DEVICE std::uint32_t SharedAddress(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
  }
};

}  // namespace roofcast::bench::cuda
