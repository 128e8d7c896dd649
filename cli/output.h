// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace roofcast::cli {

// The reader of a pipe has gone (`| head -1`): no failure, but nothing more is worth doing.
struct ReaderGone {};

// What was worked out can't be written: full disk, closed stdout, a folder that isn't there.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Where the answer goes: stdout, or a file that appears under its name only when it is complete,
// so that nobody reads half an answer. Devices and pipes are written to directly.
class Output {
 public:
  // "" is stdout. Throws OutputError when the file can't be made.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view text);
  // Writes what is left and gives the file its name. Without it the file is discarded.
  void Finish();

 private:
  void Flush();
  [[noreturn]] void Fail(const std::string& doing) const;

  std::string path_;       // what messages call it
  std::string target_;     // the file to appear, symbolic links followed
  std::string temporary_;  // "": written directly
  std::string buffer_;
  int descriptor_ = -1;
  bool is_stdout_ = false;
};

// Writes one text and finishes.
void WriteOutput(const std::string& path, std::string_view text);

}  // namespace roofcast::cli
