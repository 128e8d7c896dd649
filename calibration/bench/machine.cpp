// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "core/text.h"

namespace roofcast::bench {
namespace {

namespace fs = std::filesystem;

std::string ReadText(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string FirstLine(const fs::path& path) {
  const std::string text = ReadText(path);
  return std::string(Trim(std::string_view(text).substr(0, text.find('\n'))));
}

// The value of the first line "key : value".
std::string ValueOf(const std::string& text, std::string_view key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    if (Trim(std::string_view(line).substr(0, colon)) != key) continue;
    return std::string(Trim(std::string_view(line).substr(colon + 1)));
  }
  return "";
}

// "24576000 kB" or "32768K", as the kernel writes sizes.
std::optional<Bytes> KernelSize(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0) {
    ++digits;
  }
  const auto number = ParseNumber(text.substr(0, digits));
  if (!number) return std::nullopt;
  const std::string_view unit = Trim(text.substr(digits));
  const double size = unit.starts_with('k') || unit.starts_with('K') ? 1024
                      : unit.starts_with('M')                        ? 1024.0 * 1024
                      : unit.starts_with('G')                        ? 1024.0 * 1024 * 1024
                                                                     : 1;
  return Bytes(*number * size);
}

std::string VendorOf(const std::string& id) {
  if (id == "AuthenticAMD") return "AMD";
  if (id == "GenuineIntel") return "Intel";
  if (id == "0x41") return "Arm";
  if (id == "0x61") return "Apple";
  if (id == "0xc0") return "Ampere";
  return id.empty() ? "unknown" : id;
}

fs::path FolderOf(const fs::path& root, int processor) {
  return root / "sys/devices/system/cpu" / ("cpu" + std::to_string(processor));
}

// One logical processor of each core: those that share a core name the same siblings.
std::vector<int> CoresOf(const fs::path& root, const std::vector<int>& allowed) {
  std::set<std::string> seen;
  std::vector<int> cores;
  for (const int processor : allowed) {
    std::string siblings = FirstLine(FolderOf(root, processor) / "topology/thread_siblings_list");
    if (siblings.empty()) siblings = std::to_string(processor);
    if (seen.insert(siblings).second) cores.push_back(processor);
  }
  return cores;
}

// The highest level of cache of each core, each slice counted once.
std::optional<Bytes> LastLevelCacheOf(const fs::path& root, const std::vector<int>& cores) {
  std::set<std::string> seen;
  Bytes sum;
  for (const int processor : cores) {
    std::int64_t highest = 0;
    Bytes size;
    std::string shared;
    for (int index = 0; index < 8; ++index) {
      const fs::path cache = FolderOf(root, processor) / ("cache/index" + std::to_string(index));
      const auto level = ParseInteger(FirstLine(cache / "level"));
      const auto bytes = KernelSize(FirstLine(cache / "size"));
      if (!level || !bytes || FirstLine(cache / "type") == "Instruction") continue;
      if (*level <= highest) continue;
      highest = *level;
      size = *bytes;
      shared = std::to_string(*level) + ":" + FirstLine(cache / "shared_cpu_list");
    }
    if (highest > 0 && seen.insert(shared).second) sum += size;
  }
  if (seen.empty()) return std::nullopt;
  return sum;
}

std::vector<int> AllowedProcessors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> allowed;
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (CPU_ISSET(static_cast<std::size_t>(processor), &set)) allowed.push_back(processor);
    }
  }
  if (allowed.empty()) allowed.push_back(0);
  return allowed;
}

}  // namespace

Machine ReadMachine(const std::string& root, const std::vector<int>& allowed) {
  Machine machine;
  const fs::path top(root);
  const std::string processor = ReadText(top / "proc/cpuinfo");
  machine.model = ValueOf(processor, "model name");
  std::string vendor = ValueOf(processor, "vendor_id");
  if (vendor.empty()) vendor = ValueOf(processor, "CPU implementer");
  machine.vendor = VendorOf(vendor);
  if (machine.model.empty()) machine.model = machine.vendor + " processor";
  const std::string memory = ReadText(top / "proc/meminfo");
  machine.memory = KernelSize(ValueOf(memory, "MemTotal")).value_or(Bytes(0));
  machine.free_memory = KernelSize(ValueOf(memory, "MemAvailable")).value_or(machine.memory);
  machine.cores = CoresOf(top, allowed);
  machine.last_level_cache = LastLevelCacheOf(top, machine.cores);
  return machine;
}

Machine ThisMachine() {
  Machine machine = ReadMachine("/", AllowedProcessors());
  utsname system{};
  if (uname(&system) == 0) machine.architecture = system.machine;
  return machine;
}

std::string DeviceNameOf(const Machine& machine, int threads) {
  std::string text;
  for (const std::string& word : Split(machine.model, ' ')) {
    if (word == "CPU" || word == "Processor" || word == "@" || word.ends_with("GHz")) continue;
    text += word + " ";
  }
  for (const std::string_view mark : {"(R)", "(TM)", "(r)", "(tm)"}) {
    for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      text.erase(at, mark.size());
    }
  }
  std::string name;
  for (const char letter : text) {
    const auto code = static_cast<unsigned char>(letter);
    if (code < 128 && std::isalnum(code) != 0) {
      name += static_cast<char>(std::tolower(code));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0) {
    name.insert(0, "cpu-");
  }
  return name + "-" + std::to_string(threads) + (threads == 1 ? "-core" : "-cores");
}

bool PinThreads(const std::vector<int>& cores) {
  if (cores.empty()) return false;
  bool pinned = true;
  std::size_t next = 0;
  std::error_code error;
  // The calling thread is the process's first, so it comes first here too.
  std::set<int> threads;
  for (const auto& entry : fs::directory_iterator("/proc/self/task", error)) {
    if (const auto id = ParseInteger(entry.path().filename().string())) {
      threads.insert(static_cast<int>(*id));
    }
  }
  if (error || threads.empty()) return false;
  for (const int thread : threads) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(cores[next++ % cores.size()]), &set);
    pinned = sched_setaffinity(thread, sizeof set, &set) == 0 && pinned;
  }
  return pinned;
}

}  // namespace roofcast::bench
