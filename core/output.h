// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace roofcast {

// What was worked out can't be written: full disk, closed stdout, a folder that isn't there.
// Messages begin with the place.
class OutputError : public std::runtime_error {
 public:
  OutputError(const std::string& message, bool is_stdout)
      : std::runtime_error(message), is_stdout_(is_stdout) {}
  // Else it is the file that was asked for.
  bool is_stdout() const { return is_stdout_; }

 private:
  bool is_stdout_;
};

// The reader of a pipe has gone (`| head -1`): no failure of a command, but nothing more is worth
// doing.
class ReaderGone : public OutputError {
 public:
  using OutputError::OutputError;
};

// Where an answer goes: stdout, or a file that appears under its name only when it is complete, so
// that nobody reads half an answer. A symbolic link stays one. What is no regular file, as devices
// and pipes, and descriptors, as /dev/stdout, are written to directly.
class Output {
 public:
  // "" is stdout. Throws OutputError when the file can't be made or may not be written.
  explicit Output(const std::string& path);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  void Write(std::string_view text);
  // Writes what is left and gives the file its name. Without it the file is discarded.
  void Finish();

 private:
  void Open(const std::string& path);
  void MakeTemporary();
  void Flush();
  [[noreturn]] void Refuse(const std::string& why) const;
  [[noreturn]] void Fail(const std::string& doing) const;  // with errno

  std::string path_;       // what messages call it
  std::string target_;     // the file to appear, symbolic links followed
  std::string temporary_;  // "": written directly
  std::string buffer_;
  int descriptor_ = -1;
  bool is_stdout_ = false;
};

// Writes one text and finishes.
void WriteOutput(const std::string& path, std::string_view text);

// Throws ArgumentError when the file of --output is one of the inputs, whatever their spelling.
void RefuseInputs(const std::string& output, const std::vector<std::string>& inputs);

}  // namespace roofcast
