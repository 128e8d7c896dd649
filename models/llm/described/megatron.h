// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "models/llm/architecture.h"

namespace roofcast {

// A model from the arguments that Megatron-LM's pretrain_gpt.py is started with: a text of
// arguments alone, with '#' before comments. Those that shape the model are read with the defaults
// of megatron/training/arguments.py; those that are known to shape nothing, and those whose name
// doesn't say that they might, are passed over; the others are refused. The vocabulary is padded
// to a multiple of --make-vocab-size-divisible-by for a tensor parallelism of 1, whatever
// --tensor-model-parallel-size says. Throws SpecError.
//
//   ffn                  --ffn-hidden-size, else 4 hidden; with --swiglu 8/3 hidden, down to a
//                        multiple of 64
//   kv_heads             --num-query-groups (1) with --group-query-attention, else all heads
//   head_dim             --kv-channels, else hidden / heads
//   experts_per_token    --moe-router-topk, 2
//   expert_width         --moe-ffn-hidden-size, else ffn
//   vocabulary           --vocab-size, up to a multiple of --make-vocab-size-divisible-by, 128
//   embeddings           tied without --untie-embeddings-and-output-weights
//   biases               on every linear layer without --disable-bias-linear
//   norms                --normalization, LayerNorm
//   positions            --position-embedding-type, learned_absolute: a table
//   number format        --bf16 or --fp16, else fp32
Llm ParseMegatronArguments(std::string_view text, const std::string& name, const std::string& file);

}  // namespace roofcast
