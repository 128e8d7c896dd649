// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_flags.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "core/catalog.h"
#include "core/error.h"
#include "core/table.h"
#include "core/text.h"
#include "core/units.h"
#include "models/steps/report_text.h"

namespace roofcast::cli {
namespace {

constexpr std::string_view kFraction = "memory-fraction";

// "meta-llama/Llama-3.1-8B-Instruct" -> "llama-3.1-8b", where the catalog has that.
std::optional<std::string> CatalogModel(const std::string& logged) {
  std::string name = NormaliseName(logged.substr(logged.find_last_of('/') + 1));
  std::vector<std::string> candidates = {name};
  for (const std::string_view ending : {"-instruct", "-chat", "-chat-hf", "-hf", "-it", "-fp8"}) {
    if (name.ends_with(ending)) candidates.push_back(name.substr(0, name.size() - ending.size()));
  }
  for (const std::string& candidate : candidates) {
    for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) {
      if (NormaliseName(file.name) == candidate) return file.name;
    }
  }
  return std::nullopt;
}

void Default(Arguments& arguments, std::string_view flag, const std::optional<std::string>& value) {
  if (value && !arguments.Has(flag)) arguments.flags.emplace(flag, *value);
}
void Default(Arguments& arguments,
             std::string_view flag,
             const std::optional<std::int64_t>& value) {
  if (value && *value > 0) Default(arguments, flag, std::optional(std::to_string(*value)));
}

}  // namespace

EngineFlags ReadEngineFlags(const Arguments& arguments) {
  EngineFlags flags;
  if (arguments.Has("engine")) {
    flags.engine = arguments.Has("engine-version")
                       ? LoadEngine(arguments.Get("engine"), arguments.Get("engine-version"))
                       : LoadEngine(arguments.Get("engine"));
  } else if (arguments.Has("engine-version")) {
    throw ArgumentError("--engine-version: of which engine? add --engine, as --engine vllm");
  }
  if (arguments.Has(kFraction)) {
    flags.choice.memory_fraction = ParseNumber(arguments.Get(kFraction));
    if (!flags.choice.memory_fraction) {
      throw ArgumentError("--memory-fraction: " + Quoted(arguments.Get(kFraction)) +
                          " is no number; write one above 0, up to 1");
    }
  }
  if (arguments.Has("kv-policy")) ParseKvPolicy(arguments.Get("kv-policy"), flags.choice);
  return flags;
}

EngineChoice ChoiceOf(const EngineFlags& flags, const Point& point) {
  EngineChoice choice = flags.choice;
  if (flags.engine) choice.engine = &*flags.engine;
  choice.batched_tokens = Find(point, "max-batched-tokens");
  choice.sequences = Find(point, "max-sequences");
  choice.block_size = Find(point, "block-size");
  return choice;
}

Arguments WithLog(const Arguments& arguments, const EngineLog& log) {
  Arguments all = arguments;
  if (log.product.empty()) {
    throw ArgumentError(
        "--engine-log: no memory line of vLLM or SGLang in it; give the log of a start");
  }
  if (!arguments.Has("engine")) {
    all.flags.emplace("engine", log.product);
    Default(all, "engine-version", log.product == "vllm" ? log.version : std::nullopt);
  }
  if (!arguments.Has("model")) {
    const auto model = log.model ? CatalogModel(*log.model) : std::nullopt;
    if (!model) {
      throw ArgumentError("--model: is missing, and the log names " +
                          (log.model ? Quoted(*log.model) + ", which the catalog doesn't have"
                                     : std::string("none")) +
                          "; add --model");
    }
    all.flags.emplace("model", *model);
  }
  if (!arguments.Has("plan")) {
    Default(all, "tp", log.tp);
    Default(all, "pp", log.pp);
  }
  Default(all, "max-length", log.concurrency_length ? log.concurrency_length : log.max_length);
  Default(all, "max-batched-tokens", log.batched_tokens);
  Default(all, "max-sequences", log.sequences);
  if (log.memory_fraction && !arguments.Has(kFraction)) {
    all.flags.emplace(kFraction, FormatExact(*log.memory_fraction));
  }
  return all;
}

std::string FormatComparison(const LogComparison& comparison) {
  Table table({{"the log beside it", Align::kLeft},
               {"logged", Align::kRight},
               {"predicted", Align::kRight},
               {"difference", Align::kRight}});
  const auto value = [](const LogRow& row, double number) {
    return row.is_bytes ? FormatGib(Bytes(number)) : FormatThousands(number);
  };
  for (const LogRow& row : comparison.rows) {
    const auto difference = row.Difference();
    std::string text = "-";
    if (difference) {
      const double percent = std::round(*difference * 1000) / 10;
      text = (percent > 0 ? "+" : "") + FormatExact(percent == 0 ? 0 : percent) + " %";
    }
    table.AddRow({row.name, value(row, row.logged), value(row, row.predicted), std::move(text)});
  }
  std::string out = table.Text();
  for (const std::string& note : comparison.notes) AddLabelled(out, "log", note);
  return out;
}

}  // namespace roofcast::cli
