// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "core/text.h"

namespace roofcast::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kBufferSize = 64 << 10;

// The file that a symbolic link stands for, also one that isn't there yet: a rename would replace
// the link itself.
fs::path Followed(fs::path path) {
  constexpr int kMostLinks = 40;  // as the kernel follows
  std::error_code error;
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) break;
    path = path.parent_path() / next;  // `next` alone when it is absolute
  }
  return path;
}

}  // namespace

Output::Output(const std::string& path) : path_(path.empty() ? "stdout" : Printable(path)) {
  if (path.empty()) {
    descriptor_ = STDOUT_FILENO;
    is_stdout_ = true;
    return;
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) {
    throw OutputError("--output: " + path_ + ": is a folder; name a file in it");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) Fail("can't be opened");
    return;
  }
  target_ = Followed(path).string();
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

void Output::Fail(const std::string& doing) const {
  const int code = errno;
  throw OutputError((is_stdout_ ? "" : "--output: ") + path_ + ": " + doing + ": " +
                    std::strerror(code) + "; check the place and its free space");
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
      if (errno == EPIPE) throw ReaderGone{};
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

}  // namespace roofcast::cli
