// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/cpu_attention.h"
#include "models/kernels/cpu_gemm.h"
#include "models/kernels/cpu_pass.h"
#include "models/kernels/flash_prefill.h"
#include "models/kernels/gather.h"
#include "models/kernels/grouped_gemm_moe.h"
#include "models/kernels/op_list.h"
#include "models/kernels/roofline_gemm.h"
#include "models/kernels/split_decode.h"
#include "models/kernels/streaming.h"
#include "models/kernels/tiled_gemm.h"

// The only list of forms; see form.h. What is added here can be fitted, read from a fit file and
// used in predictions.
namespace roofcast {

// clang-format off: one a line
using Forms = TypeList<RooflineGemm,
                       TiledGemm,
                       FlashPrefill,
                       SplitDecode,
                       GroupedGemmMoe,
                       Streaming,
                       Gather,
                       CpuGemm,
                       CpuAttention,
                       CpuPass>;
// clang-format on

}  // namespace roofcast
