// SPDX-License-Identifier: Apache-2.0
// `roofcast-calibrate`, which `roofcast calibrate` and `roofcast bench` start: the only program
// that links Ceres and oneDNN.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/calibrate.h"
#include "calibration/fit_file.h"
#include "calibration/report.h"
#include "cli/calibrate/bench.h"
#include "cli/calibrate/options.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/output.h"
#include "core/text.h"
#include "hardware/catalog.h"

namespace roofcast::cli {
namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kBadInput = 2;

int Complain(const std::string& message, int status) {
  std::cerr << message << "\n";
  return status;
}

int Print(const std::string& text) {
  WriteOutput("", text);
  return kSuccess;
}

// What the fit says of every row.
std::string FormatRows(const Calibration& calibration) {
  CsvWriter csv(
      {"row", "series", "regime", "framework", "key", "measured_us", "fitted_us", "held_out_us"});
  for (const SeriesReport& report : calibration.series) {
    for (std::size_t i = 0; i < report.measured.size(); ++i) {
      csv.Add(report.lines[i]);
      csv.Add(report.name);
      csv.Add(report.fit.regimes[i]);
      csv.Add(report.frameworks[i]);
      csv.Add(report.keys[i]);
      csv.Add(FormatExact(report.measured[i]));
      csv.Add(FormatExact(report.measured[i] * std::exp(-report.fit.in_sample[i])));
      csv.Add(FormatExact(report.measured[i] * std::exp(-report.fit.Best()[i])));
      csv.EndRow();
    }
  }
  return csv.text();
}

std::string Closing(const CalibrateWords& options) {
  if (options.output.empty()) return "\nThe fit is not kept: --output FILE writes it.\n";
  const std::string file = Printable(options.output);
  return "\nWritten to " + file + "; 'roofcast predict ... --fits " + file + "' uses it.\n";
}

int RunCalibrate(const std::vector<std::string>& words) {
  const CalibrateWords options = ParseCalibrate(words);
  if (options.help) return Print(CalibrateHelp());
  std::vector<std::string> inputs = options.files;
  if (!options.pooled) inputs.push_back(options.device);
  RefuseInputs(options.output, inputs);
  if (!options.rows.empty()) RefuseInputs(options.rows, inputs);
  std::optional<Device> device;
  if (!options.pooled) device = LoadDevice(options.device);
  CalibrateOptions how;
  how.families = options.families;
  const bool shows = !options.quiet && isatty(STDERR_FILENO) != 0;
  if (shows) {
    how.progress = [](std::size_t done, std::size_t total, const std::string& next) {
      std::cerr << "\r\x1b[K" << done << " of " << total << " series; now " << next << std::flush;
    };
  }
  const Calibration calibration = Calibrate(options.files, device, how);
  if (shows) std::cerr << "\r\x1b[K" << std::flush;
  if (!options.rows.empty()) WriteOutput(options.rows, FormatRows(calibration));
  if (!options.output.empty()) SaveFit(calibration, Today(), options.output);
  if (options.json) return Print(FormatJson(ToJson(calibration)));
  return Print(FormatCalibration(calibration) + Closing(options));
}

int Run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    return Print(CalibrateHelp());
  }
  if (words[0] == "bench") return RunBench({words.begin() + 1, words.end()});
  if (words[0] != "calibrate") {
    return Complain("roofcast " + Printable(words[0]) +
                        ": not a verb of roofcast-calibrate; write roofcast calibrate or bench",
                    kBadInput);
  }
  return RunCalibrate({words.begin() + 1, words.end()});
}

}  // namespace
}  // namespace roofcast::cli

int main(int argc, char** argv) {
  using namespace roofcast::cli;
  // A reader that stops early, or a limit on the size of files, makes writing fail instead of
  // ending the program without a word.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  const bool measures = argc > 1 && std::string_view(argv[1]) == "bench";
  const std::string verb = measures ? "roofcast bench: " : "roofcast calibrate: ";
  try {
    return Run({argv + std::min(argc, 1), argv + argc});
  } catch (const roofcast::SpecError& error) {
    return Complain(error.what(), kBadInput);  // names the file itself
  } catch (const roofcast::Error& error) {
    return Complain(verb + error.what(), kBadInput);
  } catch (const roofcast::ReaderGone&) {
    return kSuccess;
  } catch (const roofcast::OutputError& error) {
    const std::string flag = error.is_stdout() ? "" : "--output: ";
    return Complain(verb + flag + error.what(), kFailure);
  } catch (const std::exception& error) {
    return Complain(verb + error.what(), kFailure);
  }
}
