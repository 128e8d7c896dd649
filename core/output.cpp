// SPDX-License-Identifier: Apache-2.0
#include "core/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBufferSize = 64 << 10;

// N of /dev/fd/N or /proc/self/fd/N. To open such a path is to open the file behind it once more,
// at its beginning.
std::optional<int> DescriptorOf(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const auto number = ParseInteger(path.substr(folder.size()));
    if (number && *number >= 0 && *number < 1 << 20) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// What a chain of symbolic links leads to: a rename would replace the link itself.
struct Followed {
  fs::path path;
  std::optional<int> descriptor;
};

Followed Follow(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    // Not the canonical path: that goes through the links of /dev and /proc.
    if (const auto descriptor = DescriptorOf(path.lexically_normal().string())) {
      return {path, descriptor};
    }
    if (!fs::is_symlink(path, error)) break;
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;  // `next` alone when it is absolute
  }
  return {path, std::nullopt};
}

}  // namespace

Output::Output(const std::string& path) : path_(path.empty() ? "stdout" : Printable(path)) {
  if (path.empty()) {
    descriptor_ = STDOUT_FILENO;
    is_stdout_ = true;
    return;
  }
  Open(path);
}

void Output::Open(const std::string& path) {
  const Followed followed = Follow(path);
  if (followed.descriptor) {
    descriptor_ = ::fcntl(*followed.descriptor, F_DUPFD_CLOEXEC, 0);
    if (descriptor_ < 0) Fail("can't be opened");
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) Refuse("is a folder; name a file in it");
  if (fs::is_symlink(path, error) && !fs::exists(status)) {
    Refuse("is a link that leads to no file; name a file");
  }
  // /proc names files of processes by links: a file behind one is no place to rename in.
  const bool is_place = !fs::exists(status) || fs::is_regular_file(status);
  if (!is_place || followed.path.lexically_normal().string().starts_with("/proc/")) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (descriptor_ < 0) Fail("can't be opened");
    return;
  }
  target_ = followed.path.string();
  if (fs::exists(status) && ::access(target_.c_str(), W_OK) != 0) {
    Refuse("is write-protected; change its permissions or name another file");
  }
  MakeTemporary();
}

void Output::MakeTemporary() {
  std::string name = target_ + ".XXXXXX";
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) Fail("can't be made");
  temporary_ = name;
  // mkostemp makes the file private; give it the rights that the old file or a new one would have.
  struct stat old {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  const mode_t rights = ::stat(target_.c_str(), &old) == 0 ? old.st_mode & 0777U : 0666U & ~mask;
  ::fchmod(descriptor_, rights);
}

Output::~Output() {
  if (descriptor_ >= 0 && !is_stdout_) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void Output::Refuse(const std::string& why) const {
  throw OutputError(path_ + ": " + why, is_stdout_);
}

void Output::Fail(const std::string& doing) const {
  const int code = errno;
  Refuse(doing + ": " + std::strerror(code) + "; check the place and its free space");
}

void Output::Write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= kBufferSize) Flush();
}

void Output::Flush() {
  std::string_view left = buffer_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) throw ReaderGone(path_ + ": its reader has gone", is_stdout_);
      Fail("can't be written");
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void Output::Finish() {
  Flush();
  if (is_stdout_) return;
  const int closed = ::close(descriptor_);
  descriptor_ = -1;
  if (closed != 0) Fail("can't be written");
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) Fail("can't be replaced");
  temporary_.clear();
}

void WriteOutput(const std::string& path, std::string_view text) {
  Output output(path);
  output.Write(text);
  output.Finish();
}

void RefuseInputs(const std::string& output, const std::vector<std::string>& inputs) {
  std::error_code error;
  if (output.empty() || !fs::is_regular_file(output, error)) return;
  for (const std::string& input : inputs) {
    if (fs::equivalent(output, input, error) && !error) {
      throw ArgumentError("--output: " + Printable(output) +
                          " is also an input; write to another file");
    }
  }
}

}  // namespace roofcast
