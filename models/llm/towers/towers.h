// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/llm/architecture.h"
#include "models/llm/config_reader.h"

// What the checkpoints of models that see have beside the language model: Llm::extra_parameters
// and extra_bytes, as "vision tower" and "vision projector". Counted only: no operator runs them.
namespace roofcast {

// `vision` is vision_config of the whole config `top`. The language model is read already.
using ReadTower = void(ConfigReader& vision, ConfigReader& top, Llm& llm);

ReadTower AddGemma3Tower, AddGemma4Tower;
ReadTower AddInternVlTower;
ReadTower AddKimiTower;
ReadTower AddLlama4Tower;
ReadTower AddLlavaNextTower, AddLlavaOneVisionTower, AddLlavaTower;
ReadTower AddMistral3Tower;
ReadTower AddQwen25VlTower, AddQwen2VlTower, AddQwen35Tower, AddQwen3VlTower;

}  // namespace roofcast
