// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "core/catalog.h"
#include "models/llm/config.h"
#include "models/llm/hub_cache.h"
#include "models/llm/parameters.h"
#include "tests/models/llm/config_text.h"

namespace roofcast {

using test::kLlama;
using test::With;

namespace {

namespace fs = std::filesystem;

// A folder that goes away with the test. Tests may run side by side, each in its own process.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_(fs::temp_directory_path() / ("roofcast_load_test_" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~ScratchFolder() { fs::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string Write(const std::string& file, std::string_view text) const {
    const fs::path path = path_ / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path.string();
  }
  fs::path path() const { return path_; }

 private:
  fs::path path_;
};

// An environment variable for the time of a test.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~ScopedVariable() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

std::string RefusalOf(const std::string& name) {
  try {
    LoadLlm(name);
  } catch (const NotFoundError& error) {
    return error.what();
  }
  return "";
}

constexpr std::string_view kModelOpt =
    R"({"quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"]}})";

}  // namespace

TEST_CASE("every model of the zoo loads under its name, with a source for its dims") {
  int built_in = 0;
  for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) {
    if (!file.built_in) continue;
    CAPTURE(file.name);
    CHECK(LoadLlm(file.name).name == file.name);
    CHECK(file.text.find("\"_from\": \"huggingface.co/") != std::string_view::npos);
    ++built_in;
  }
  CHECK(built_in >= 41);
}

TEST_CASE("a model is found whatever the case and the separators of its name") {
  CHECK(LoadLlm("Llama 3.1_70B").name == "llama-3.1-70b");
  CHECK(LoadLlm("QWEN3-30B-A3B").name == "qwen3-30b-a3b");
}

TEST_CASE("a model is found under its ids on the Hugging Face Hub") {
  CHECK(LoadLlm("meta-llama/Llama-3.1-70B-Instruct").name == "llama-3.1-70b");
  CHECK(LoadLlm("Meta-Llama-3.1-8B").name == "llama-3.1-8b");
  CHECK(LoadLlm("deepseek-ai/DeepSeek-R1-0528").name == "deepseek-r1");
  CHECK(LoadLlm("mistral-7b-v0.1").name == "mistral-7b");
}

TEST_CASE("a misspelt name is refused with the nearest") {
  CHECK(RefusalOf("lama-3.1-8b") ==
        "model: no model 'lama-3.1-8b'; did you mean 'llama-3.1-8b'? ('roofcast list models' "
        "names all)");
  CHECK(RefusalOf("xyzzy") == "model: no model 'xyzzy'; 'roofcast list models' names all");
  CHECK(RefusalOf("") == "model: no model ''; 'roofcast list models' names all");
}

TEST_CASE("a config is read from its path, and named for its file or folder") {
  const ScratchFolder folder;
  CHECK(LoadLlm(folder.Write("mine.json", kLlama)).name == "mine");
  folder.Write("Tiny-7B/config.json", kLlama);
  CHECK(LoadLlm((folder.path() / "Tiny-7B").string()).name == "Tiny-7B");
  CHECK(LoadLlm((folder.path() / "Tiny-7B").string() + "/").name == "Tiny-7B");
  const Llm llm = LoadLlm((folder.path() / "Tiny-7B" / "config.json").string());
  CHECK(llm.name == "Tiny-7B");
  CHECK(llm.place == (folder.path() / "Tiny-7B" / "config.json").string());
}

TEST_CASE("a path that leads nowhere is refused as a path") {
  CHECK(RefusalOf("/no/such/model.json") == "/no/such/model.json: no such file; check the path");
  const ScratchFolder folder;
  const std::string config = (folder.path() / "config.json").string();
  CHECK(RefusalOf(folder.path().string()) == config + ": no such file; check the path");
}

TEST_CASE("ModelOpt's quantisation is found beside a config") {
  const ScratchFolder folder;
  folder.Write("fp8/config.json", kLlama);
  folder.Write("fp8/hf_quant_config.json", kModelOpt);
  CHECK(LoadLlm((folder.path() / "fp8").string()).quantisation->method == "fp8");
  const std::string file = folder.Write("other.json", kLlama);
  CHECK_FALSE(LoadLlm(file).quantisation.has_value());
  folder.Write("other.hf_quant_config.json", kModelOpt);
  CHECK(LoadLlm(file).quantisation.has_value());
}

TEST_CASE("a model of the local Hugging Face cache is found by its id, before the zoo") {
  const ScratchFolder folder;
  const ScopedVariable cache("HF_HUB_CACHE", folder.path().string());
  const std::string model = "models--meta-llama--Llama-3.1-8B";
  const std::string changed = With(kLlama, "14336", "14337");
  CHECK(LoadLlm("meta-llama/Llama-3.1-8B").LayerAt(0).ffn.width == 14336);  // the zoo's
  folder.Write(model + "/snapshots/abc123/config.json", changed);
  CHECK(LoadLlm("meta-llama/Llama-3.1-8B").LayerAt(0).ffn.width == 14337);  // the only one
  CHECK(LoadLlm("meta-llama/Llama-3.1-8B").name == "Llama-3.1-8B");
  folder.Write(model + "/snapshots/def456/config.json", With(kLlama, "14336", "14338"));
  CHECK(LoadLlm("meta-llama/Llama-3.1-8B").LayerAt(0).ffn.width == 14336);  // no telling which
  folder.Write(model + "/refs/main", "def456\n");
  CHECK(LoadLlm("meta-llama/Llama-3.1-8B").LayerAt(0).ffn.width == 14338);
  folder.Write(model + "/refs/main", "../../../etc");
  CHECK_FALSE(FindInHubCache("meta-llama/Llama-3.1-8B").has_value());
  CHECK(RefusalOf("nobody/Nothing-1B") ==
        "model: no model 'nobody/Nothing-1B', and neither " + folder.path().string() +
            " nor the working folder has it; download its config.json and give the path");
}

TEST_CASE("the cache of Hugging Face is where its own variables put it") {
  const ScopedVariable hub("HF_HUB_CACHE", "");
  const ScopedVariable home("HF_HOME", "/a");
  CHECK(HubCache() == "/a/hub");
  const ScopedVariable no_home("HF_HOME", "");
  const ScopedVariable cache("XDG_CACHE_HOME", "/b");
  CHECK(HubCache() == "/b/huggingface/hub");
  const ScopedVariable no_cache("XDG_CACHE_HOME", "");
  const ScopedVariable user("HOME", "/c");
  CHECK(HubCache() == "/c/.cache/huggingface/hub");
}

TEST_CASE("an id of the Hub is two plain words") {
  CHECK(IsHubId("meta-llama/Llama-3.1-8B"));
  CHECK_FALSE(IsHubId("llama"));
  CHECK_FALSE(IsHubId("../llama"));
  CHECK_FALSE(IsHubId("a/b/c"));
  CHECK_FALSE(IsHubId("folder/model.json"));
  CHECK_FALSE(IsHubId("a/b c"));
}

TEST_CASE("a description by hand and Megatron-LM arguments are taken wherever a model is") {
  constexpr std::string_view kYaml =
      "hidden: 64\nlayers: 2\nheads: 4\nkv_heads: 2\nvocabulary: 100\ntied_embeddings: false\n"
      "gated: true\nffn: 128\n";
  constexpr std::string_view kArguments =
      "--hidden-size 64 --num-layers 2 --num-attention-heads 4 --vocab-size 128 "
      "--max-position-embeddings 32\n";
  const ScratchFolder scratch;
  const Llm mine = LoadLlm(scratch.Write("my_model.yaml", kYaml));
  CHECK(mine.name == "my_model");
  CHECK(mine.LayerCount() == 2);
  CHECK(LoadLlm(scratch.Write("other.yml", kYaml)).kinds == mine.kinds);
  CHECK(LoadLlm(scratch.Write("pretrain_gpt.args", kArguments)).learned_positions == 32);

  scratch.Write("models/plan_b.yaml", kYaml);
  scratch.Write("models/both.json", kLlama);
  scratch.Write("models/both.yaml", kYaml);
  const ScopedVariable path("ROOFCAST_PATH", scratch.path().string());
  CHECK(LoadLlm("plan-b").kinds == mine.kinds);
  CHECK(LoadLlm("both").model_type == "llama");  // the first by name hides the other
}

}  // namespace roofcast
