// SPDX-License-Identifier: Apache-2.0
#include "cli/calibrate/bench.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string_view>

#include "calibration/bench/device_file.h"
#include "calibration/bench/forward_result.h"
#include "calibration/bench/report.h"
#include "calibration/fit_file.h"
#include "cli/calibrate/bench_options.h"
#include "core/output.h"
#include "core/spec_writer.h"
#include "core/text.h"
#include "models/steps/json.h"
#ifdef ROOFCAST_ONEDNN
#include "calibration/bench/run/bench.h"
#include "calibration/bench/run/end_to_end.h"
#endif

namespace roofcast::cli {

#ifdef ROOFCAST_ONEDNN
namespace {

// One line on a terminal, rewritten; nothing where stderr is a file or a pipe.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : shows_(!quiet && isatty(STDERR_FILENO) != 0) {}
  ~ProgressLine() { Clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void Show(std::int64_t done, std::int64_t all) {
    const std::int64_t percent = 100 * done / all;
    if (!shows_ || percent == percent_) return;
    percent_ = percent;
    std::cerr << "\rmeasuring: " << percent << " % of " << all << " timings" << std::flush;
  }
  void Clear() {
    if (percent_ >= 0) std::cerr << "\r\033[K" << std::flush;
    percent_ = -1;
  }

 private:
  bool shows_;
  std::int64_t percent_ = -1;
};

std::filesystem::path MakeFolder(const std::string& name) {
  std::filesystem::path folder(name);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw OutputError(Printable(name) + ": no folder can be made there" +
                          (error ? ": " + error.message() : "") + "; name another one",
                      false);
  }
  return folder;
}

// Writes the tables and the device; the text says what to do with them.
std::string Keep(const bench::BenchResult& result, const std::string& output) {
  if (output.empty()) return "Nothing is kept: --output FOLDER writes the tables and the device.\n";
  const std::filesystem::path folder = MakeFolder(output);
  std::string files;
  for (const auto& [name, text] : FormatTables(result.measured, result.setting)) {
    WriteOutput((folder / name).string(), text);
    if (name != "memory.csv") files += " " + (folder / name).string();
  }
  const std::string shown = Printable(folder.string());
  if (!result.device) return "Written to " + shown + ".\n";
  const std::string device = (folder / bench::DeviceFileName(result.setting.device)).string();
  WriteOutput(device, WriteSpec(*result.device));
  return "Written to " + shown + ". To predict with it:\n  roofcast calibrate" + Printable(files) +
         " --device " + Printable(device) + " --output " +
         Printable((folder / "fit.yaml").string()) +
         "\n  roofcast predict decode --model gpt2 --cluster " + Printable(device) +
         ":1 --context 512 --fits " + Printable((folder / "fit.yaml").string()) + "\n";
}

template <class Result>
std::string Headline(const Result& result) {
  std::string text = result.setting.device + ": " + Printable(result.machine.model) + ", " +
                     std::to_string(result.setting.threads) +
                     (result.setting.threads == 1 ? " thread" : " threads") + ", oneDNN " +
                     result.setting.version + "\n";
  for (const std::string& note : result.notes) text += "note: " + note + "\n";
  return text;
}

int Compare(const BenchWords& words) {
  ProgressLine line(words.quiet);
  const bench::EndToEnd result = bench::RunEndToEnd(
      words.options, Today(), [&](std::int64_t done, std::int64_t all) { line.Show(done, all); });
  line.Clear();
  if (words.json) {
    Json document = DocumentHeader("bench");
    document["device"] = result.setting.device;
    document["threads"] = result.setting.threads;
    document["notes"] = result.notes;
    document["end_to_end"] = bench::ToJson(result);
    WriteOutput("", FormatJson(document));
  } else {
    WriteOutput("", Headline(result) + "\n" + bench::FormatEndToEnd(result));
  }
  return 0;
}

int Measure(const BenchWords& words) {
  ProgressLine line(words.quiet);
  const bench::BenchResult result = bench::RunBench(
      words.options, Today(), [&](std::int64_t done, std::int64_t all) { line.Show(done, all); });
  line.Clear();
  const std::string kept = Keep(result, words.output);
  if (words.json) {
    Json document = DocumentHeader("bench");
    document["device"] = result.setting.device;
    document["threads"] = result.setting.threads;
    document["noise"] = bench::ToJson(result.noise);
    document["notes"] = result.notes;
    document["cases"] = bench::ToJson(result.measured, result.setting);
    WriteOutput("", FormatJson(document));
    return 0;
  }
  WriteOutput("",
              Headline(result) + "\n" + bench::FormatSummary(result.measured, result.setting) +
                  "\n" + bench::Describe(result.noise) + kept);
  return 0;
}

}  // namespace
#endif

int RunBench(const std::vector<std::string>& words) {
  const BenchWords parsed = ParseBench(words);
  if (parsed.help) {
    WriteOutput("", BenchHelp());
    return 0;
  }
#ifdef ROOFCAST_ONEDNN
  return parsed.options.end_to_end ? Compare(parsed) : Measure(parsed);
#else
  std::cerr << "roofcast bench: measures through oneDNN, which this program was built without; "
               "install libdnnl-dev (apt-get install libdnnl-dev) and build again\n";
  return 1;
#endif
}

}  // namespace roofcast::cli
