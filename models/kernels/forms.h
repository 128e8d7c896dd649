// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/cpu_attention.h"
#include "models/kernels/cpu_gemm.h"
#include "models/kernels/cpu_pass.h"
#include "models/kernels/op_list.h"
#include "models/kernels/roofline_gemm.h"

// The only list of forms; see form.h. What is added here can be fitted, read from a fit file and
// used in predictions.
namespace roofcast {

using Forms = TypeList<RooflineGemm, CpuGemm, CpuAttention, CpuPass>;

}  // namespace roofcast
