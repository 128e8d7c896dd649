// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/figures.h"
#include "models/llm/architecture.h"

namespace roofcast::cli {

// What `show` prints of one thing, whatever it is; the three formats are written from it.
struct Sheet {
  std::string kind;  // "device", "link", "cluster", "coefficients", "model"
  std::string name;
  std::string title;
  std::string file;  // the one used, of those on the search path
  std::vector<Shown> figures;
  // What follows from the figures: name, value, how, and for programs the number in base units.
  struct Derived {
    std::string name;
    std::string value;
    std::string how;
    std::optional<double> number = std::nullopt;
    std::string unit = "";
  };
  std::vector<Derived> derived;
  std::string text;  // a table of its own, shown to people only
};

Sheet SheetOfModel(const Llm& llm);

}  // namespace roofcast::cli
