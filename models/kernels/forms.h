// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/kernels/flash_prefill.h"
#include "models/kernels/op_list.h"
#include "models/kernels/roofline_gemm.h"
#include "models/kernels/split_decode.h"

// The only list of forms; see form.h. What is added here can be fitted, read from a fit file and
// used in predictions.
namespace roofcast {

using Forms = TypeList<RooflineGemm, FlashPrefill, SplitDecode>;

}  // namespace roofcast
