// SPDX-License-Identifier: Apache-2.0
// `roofcast-calibrate`, which `roofcast calibrate` starts: the only program that links Ceres.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "calibration/calibrate.h"
#include "calibration/fit_file.h"
#include "calibration/report.h"
#include "cli/calibrate/options.h"
#include "core/error.h"
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
  errno = 0;
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return kSuccess;
  if (errno == EPIPE) return kSuccess;  // the reader has gone, as `| head -1` does
  return Complain(
      "roofcast calibrate: stdout: can't be written; check the place and its free space", kFailure);
}

std::string Closing(const CalibrateOptions& options) {
  if (options.output.empty()) return "\nThe fit is not kept: --output FILE writes it.\n";
  const std::string file = Printable(options.output);
  return "\nWritten to " + file + "; 'roofcast predict ... --fits " + file + "' uses it.\n";
}

int RunCalibrate(const std::vector<std::string>& words) {
  const CalibrateOptions options = ParseCalibrate(words);
  if (options.help) return Print(CalibrateHelp());
  const Calibration calibration = Calibrate(options.files, LoadDevice(options.device));
  if (!options.output.empty()) SaveFit(calibration, Today(), options.output);
  if (options.json) return Print(FormatJson(ToJson(calibration)));
  return Print(FormatCalibration(calibration) + Closing(options));
}

int Run(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    return Print(CalibrateHelp());
  }
  if (words[0] != "calibrate") {
    return Complain("roofcast " + Printable(words[0]) +
                        ": not a verb of roofcast-calibrate; write roofcast calibrate",
                    kBadInput);
  }
  return RunCalibrate({words.begin() + 1, words.end()});
}

}  // namespace
}  // namespace roofcast::cli

int main(int argc, char** argv) {
  using namespace roofcast::cli;
  // A reader that stops early makes writing fail instead of ending the program without a word.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return Run({argv + std::min(argc, 1), argv + argc});
  } catch (const roofcast::SpecError& error) {
    return Complain(error.what(), kBadInput);  // names the file itself
  } catch (const roofcast::Error& error) {
    return Complain("roofcast calibrate: " + std::string(error.what()), kBadInput);
  } catch (const std::exception& error) {
    return Complain("roofcast calibrate: " + std::string(error.what()), kFailure);
  }
}
