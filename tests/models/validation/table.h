// SPDX-License-Identifier: Apache-2.0
// Tables of training runs made up for the tests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/csv.h"
#include "models/validation/training_table.h"

namespace roofcast::testing {

using Cells = std::map<std::string, std::string>;

// A run of Llama-1.34G on one H100 whose source and text the profile of the playbook knows.
inline Cells PlaybookRow() {
  return {{"source", "HuggingFace Ultra-Scale Playbook bench (made up)"},
          {"model", "Llama-1.34G"},
          {"layers", "16"},
          {"hidden", "2048"},
          {"heads", "32"},
          {"kv_heads", "32"},
          {"ffn", "8192"},
          {"vocab", "131072"},
          {"seq", "4096"},
          {"gpu", "H100-80GB SXM"},
          {"num_gpus", "1"},
          {"tp", "1"},
          {"pp", "1"},
          {"dp", "1"},
          {"mbs", "1"},
          {"precision", "bf16"},
          {"zero", "0"},
          {"other", "text; GA=4; tied=True; job 14100001; after_pp_fix=True"},
          {"metric", "mem_allocated_per_gpu"},
          {"value", "20"},
          {"unit", "GB"}};
}
inline Cells With(Cells row, const Cells& changes) {
  for (const auto& [name, value] : changes) row[name] = value;
  return row;
}

inline std::string TableOf(const std::vector<Cells>& rows) {
  CsvWriter csv(TrainingColumns());
  for (const Cells& row : rows) {
    for (const std::string& name : TrainingColumns()) {
      const auto cell = row.find(name);
      csv.Add(cell == row.end() ? std::string_view() : std::string_view(cell->second));
    }
    csv.EndRow();
  }
  return csv.text();
}

// The facts of the first row, completed by the profiles.
inline Facts FactsOf(const Cells& row) {
  Facts facts;
  for (const auto& [name, value] : row) facts.Add(name, value);
  return facts;
}

}  // namespace roofcast::testing
