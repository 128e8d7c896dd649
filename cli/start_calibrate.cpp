// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "cli/run.h"
#include "core/text.h"

namespace roofcast::cli {

int StartCalibrate(const std::vector<std::string>& words) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::string program = (self.parent_path() / "roofcast-calibrate").string();
  const std::string verb = "roofcast " + Printable(words.front()) + ": ";
  if (error || ::access(program.c_str(), X_OK) != 0) {
    std::cerr << verb
              << "needs the program roofcast-calibrate beside roofcast, which is not there; "
              << "build it with 'cmake --preset release -DROOFCAST_CALIBRATION=ON && cmake --build "
              << "build/release'\n";
    return kFailure;
  }
  std::vector<std::string> copies = words;
  copies.insert(copies.begin(), program);
  std::vector<char*> argv;
  argv.reserve(copies.size() + 1);
  for (std::string& word : copies) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  std::cerr << verb << Printable(program) << ": can't be started: " << std::strerror(errno)
            << "; check the program\n";
  return kFailure;
}

}  // namespace roofcast::cli
