// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace roofcast {

// "meta-llama/Llama-3.1-70B": two words of letters, digits, '.', '_' and '-'.
bool IsHubId(const std::string& text);

// Where the libraries of Hugging Face keep what they downloaded: $HF_HUB_CACHE, $HF_HOME/hub,
// $XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub. May not exist.
std::filesystem::path HubCache();

// The folder of a model's snapshot there: the revision of refs/main, or the only one. Nothing when
// it has no config.json.
std::optional<std::filesystem::path> FindInHubCache(const std::string& id);

}  // namespace roofcast
