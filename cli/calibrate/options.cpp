// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"

namespace roofcast::cli {
namespace {

constexpr std::string_view kExample =
    "roofcast calibrate measured_gemm.csv --device h100-sxm --output h100.yaml";

// The value of --device or --output.
std::string ValueOf(const CLI::Option& option, const std::string& name, const char* value) {
  if (option.count() == 0) return "";
  if (option.count() > 1) throw ArgumentError(name + ": given twice; keep one of them");
  const std::string& text = option.results().front();
  if (text.empty() || text.starts_with("--")) {
    throw ArgumentError(name + ": has no value; write " + name + " " + value);
  }
  return text;
}

bool IsSet(const CLI::Option& option, const std::string& name) {
  const auto& results = option.results();
  const bool bare = std::all_of(
      results.begin(), results.end(), [](const std::string& result) { return result == "true"; });
  if (!bare) throw ArgumentError(name + ": takes no value; write " + name + " alone");
  return option.count() > 0;
}

[[noreturn]] void RefuseUnknown(const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const std::string nearest = DidYouMean(
      name,
      {"--device", "--pooled", "--family", "--output", "--rows", "--json", "--quiet", "--help"});
  throw ArgumentError(
      Printable(name) + ": unknown flag" +
      (nearest.empty() ? "; 'roofcast calibrate --help' lists the flags" : nearest));
}

}  // namespace

CalibrateWords ParseCalibrate(const std::vector<std::string>& words) {
  // CLI11 only splits words, so that every message is ours.
  CLI::App app;
  app.set_help_flag("");
  app.allow_extras();
  const CLI::Option* device = app.add_option("--device")->take_all();
  const CLI::Option* output = app.add_option("--output")->take_all();
  const CLI::Option* rows = app.add_option("--rows")->take_all();
  const CLI::Option* family = app.add_option("--family")->take_all();
  const CLI::Option* pooled = app.add_flag("--pooled");
  const CLI::Option* json = app.add_flag("--json");
  const CLI::Option* quiet = app.add_flag("--quiet");
  const CLI::Option* help = app.add_flag("--help,-h");
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // it wants them reversed
  } catch (const CLI::Error&) {
    // Only the last word can lack its value: an option eats whatever follows it.
    const std::string last = Printable(words.back().substr(0, words.back().find('=')));
    throw ArgumentError(last + ": has no value; write one");
  }
  CalibrateWords options;
  options.help = IsSet(*help, "--help");
  options.pooled = IsSet(*pooled, "--pooled");
  options.json = IsSet(*json, "--json");
  options.quiet = IsSet(*quiet, "--quiet");
  for (const std::string& word : app.remaining()) {
    if (word.size() > 1 && word.front() == '-') RefuseUnknown(word);
    options.files.push_back(word);
  }
  if (options.help) return options;
  options.device = ValueOf(*device, "--device", "NAME");
  options.output = ValueOf(*output, "--output", "FILE");
  options.rows = ValueOf(*rows, "--rows", "FILE");
  for (std::string& name : Split(ValueOf(*family, "--family", "gemm,decode"), ',')) {
    if (!name.empty()) options.families.push_back(std::move(name));
  }
  const bool no_files = options.files.empty();
  if (options.pooled && !options.device.empty()) {
    throw ArgumentError("--pooled: stands instead of --device; write one of them");
  }
  if (no_files || (options.device.empty() && !options.pooled)) {
    throw ArgumentError(std::string(no_files ? "no data" : "--device: is missing") +
                        "; write for example\n  " + std::string(kExample));
  }
  return options;
}

std::string CalibrateHelp() {
  return "roofcast calibrate: fit coefficients to measured operator times\n"
         "\n"
         "Usage: roofcast calibrate DATA.csv... --device NAME [flags]\n"
         "\n"
         "Needed:\n"
         "  DATA.csv...      tables of measured operators, see below\n"
         "  --device NAME    what they were measured on: an accelerator by name or file\n"
         "  --pooled         instead of it: one fit for all devices that the column gpu names, "
         "for\n"
         "                   devices that nobody measured, judged by leaving out each "
         "architecture\n"
         "\n"
         "Flags:\n"
         "  --output FILE    keep the fit in a YAML file for 'roofcast predict ... --fits FILE'\n"
         "  --family LIST    fit these families alone: gemm,prefill,decode,...\n"
         "  --rows FILE      write every row with what the fit says of it, and what one says that\n"
         "                   has not seen its shape, as CSV\n"
         "  --json           print a JSON document instead of tables\n"
         "  --quiet          no progress on a terminal\n"
         "  --help           this text\n"
         "\n"
         "A table has a header that names its columns, in any order and with others beside them:\n"
         "  GEMM       m, n, k, dtype, latency_us\n"
         "  attention  phase (prefill or decode), dtype, kv_dtype, batch, q_len, kv_len, heads,\n"
         "             kv_heads, head_dim, window (0: none), latency_us\n"
         "With a column gpu, rows of other GPUs are left out. Rows that can't be used are counted\n"
         "with the reason. Errors are given on the rows fitted and cross-validated in five folds,\n"
         "in which no shape is on both sides.\n"
         "\n"
         "Exit status: 0 success, 2 bad input, 1 any other failure.\n"
         "\n"
         "Examples:\n"
         "  " +
         std::string(kExample) +
         "\n  roofcast predict decode --model llama-3.1-8b --cluster "
         "h100-sxm:1 --fits h100.yaml\n";
}

}  // namespace roofcast::cli
