// SPDX-License-Identifier: Apache-2.0
// `roofcast-calibrate`, which `roofcast calibrate` and `roofcast bench` start: the only program
// that links Ceres and oneDNN.
#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/calibrate.h"
#include "calibration/fit_file.h"
#include "calibration/report.h"
#include "cli/calibrate/bench.h"
#include "cli/calibrate/options.h"
#include "cli/calibrate/series.h"
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

std::string Closing(const CalibrateOptions& options) {
  if (options.output.empty()) return "\nThe fit is not kept: --output FILE writes it.\n";
  const std::string file = Printable(options.output);
  return "\nWritten to " + file + "; 'roofcast predict ... --fits " + file + "' uses it.\n";
}

int RunCalibrate(const std::vector<std::string>& words) {
  const CalibrateOptions options = ParseCalibrate(words);
  if (options.help) return Print(CalibrateHelp());
  std::vector<std::string> inputs = options.files;
  inputs.push_back(options.device);
  RefuseInputs(options.output, inputs);
  const Calibration calibration = Calibrate(options.files, LoadDevice(options.device));
  if (!options.output.empty()) SaveFit(calibration, Today(), options.output);
  if (options.json) return Print(FormatJson(ToJson(calibration)));
  return Print(FormatCalibration(calibration) + Closing(options));
}

int Run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    return Print(CalibrateHelp());
  }
  if (words[0] == "bench") return RunBench({words.begin() + 1, words.end()});
  if (words[0] == "series") return RunSeries({words.begin() + 1, words.end()});
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
