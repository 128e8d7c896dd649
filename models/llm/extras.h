// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

// Parts of a checkpoint beside the text backbone: Llm::extra_parameters and extra_bytes.
namespace roofcast {

// "mtp": the modules of DeepSeek-V3 that predict further tokens. On the Hub each is one more layer
// like the last, with copies of embedding and head, three norms and a projection of 2 hidden to
// hidden.
void AddMultiTokenPrediction(Llm& llm, std::int64_t modules);
// The same with other layers, and with the embedding and head of the backbone (Qwen3-Next,
// Nemotron-H).
void AddSharedEndsPrediction(Llm& llm, const std::vector<Layer>& layers, std::int64_t modules);

// "rotary buffers": head_dim / 2 inverse frequencies a layer, fp32, in what transformers before
// 4.32 saved. A config without version is taken for one of those if it has the vocabulary and
// length of Llama 2, whose checkpoints have them.
bool StoresRotaryBuffers(ConfigReader& text, const Llm& llm);
void AddRotaryBuffers(Llm& llm);

// "pooler": a square layer with bias on the first token, for classifiers (BERT, ViT).
void AddPooler(Llm& llm);

// What depends on how the checkpoint is stored, once that is known: "scales" of the quantised
// matrices, MTP included, and the bytes of "mtp". Scales of formats narrower than 8 bits are not
// parameters: they are part of the number format, and the published totals leave them out.
void AddStoredExtras(Llm& llm);

}  // namespace roofcast
