// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/machine.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace roofcast::bench {
namespace {

// A folder like / of a machine, removed at the end.
class Root {
 public:
  Root() {
    std::string name = (std::filesystem::temp_directory_path() / "roofcast_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
    Write("proc/cpuinfo",
          "processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654 96-Core "
          "Processor\n");
    Write("proc/meminfo", "MemTotal:       32768 kB\nMemFree:  1 kB\nMemAvailable:   16384 kB\n");
  }
  ~Root() { std::filesystem::remove_all(path_); }
  Root(const Root&) = delete;
  Root& operator=(const Root&) = delete;

  void Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  // A processor whose core has these siblings, with a second and a third level of cache.
  void AddProcessor(int number, const std::string& siblings, const std::string& shares) const {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(number) + "/";
    Write(folder + "topology/thread_siblings_list", siblings + "\n");
    AddCache(folder + "cache/index0/", "2", "Unified", "1024K", siblings);
    AddCache(folder + "cache/index1/", "3", "Unified", "32768K", shares);
    AddCache(folder + "cache/index2/", "3", "Instruction", "65536K", shares);
  }
  std::string path() const { return path_.string(); }

 private:
  void AddCache(const std::string& folder,
                const std::string& level,
                const std::string& type,
                const std::string& size,
                const std::string& shares) const {
    Write(folder + "level", level + "\n");
    Write(folder + "type", type + "\n");
    Write(folder + "size", size + "\n");
    Write(folder + "shared_cpu_list", shares + "\n");
  }

  std::filesystem::path path_;
};

}  // namespace

TEST_CASE("Threads of one core count once, and slices of the last cache that its cores reach") {
  const Root root;
  root.AddProcessor(0, "0,4", "0-1,4-5");
  root.AddProcessor(1, "1,5", "0-1,4-5");
  root.AddProcessor(2, "2,6", "2-3,6-7");
  root.AddProcessor(4, "0,4", "0-1,4-5");
  const Machine all = ReadMachine(root.path(), {0, 1, 2, 4});
  CHECK(all.model == "AMD EPYC 9654 96-Core Processor");
  CHECK(all.vendor == "AMD");
  CHECK(all.cores == std::vector<int>{0, 1, 2});
  REQUIRE(all.last_level_cache.has_value());
  CHECK(*all.last_level_cache == Bytes(2.0 * 32768 * 1024));
  CHECK(all.memory == Bytes(32768.0 * 1024));
  CHECK(all.free_memory == Bytes(16384.0 * 1024));
  const Machine some = ReadMachine(root.path(), {1, 4});
  CHECK(some.cores == std::vector<int>{1, 4});
  CHECK(*some.last_level_cache == Bytes(32768.0 * 1024));
}

TEST_CASE("A system that says little is a processor all the same") {
  const Root root;
  root.Write("proc/cpuinfo", "CPU implementer\t: 0x41\n");
  const Machine machine = ReadMachine(root.path(), {3, 5});
  CHECK(machine.vendor == "Arm");
  CHECK(machine.model == "Arm processor");
  CHECK(machine.cores == std::vector<int>{3, 5});
  CHECK_FALSE(machine.last_level_cache.has_value());
}

TEST_CASE("A device is named after its processor and the cores used") {
  Machine machine;
  machine.model = "Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00GHz";
  CHECK(DeviceNameOf(machine, 8) == "intel-xeon-platinum-8480-8-cores");
  machine.model = "13th Gen Intel(R) Core(TM) i7";
  CHECK(DeviceNameOf(machine, 1) == "cpu-13th-gen-intel-core-i7-1-core");
}

TEST_CASE("This machine has a core, a name and memory") {
  const Machine machine = ThisMachine();
  CHECK_FALSE(machine.cores.empty());
  CHECK_FALSE(machine.model.empty());
  CHECK(machine.memory > Bytes(0));
  CHECK(PinThreads(machine.cores));
}

}  // namespace roofcast::bench
