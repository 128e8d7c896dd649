// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/device_file.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/scalar.h"
#include "core/text.h"
#include "core/units.h"

namespace roofcast::bench {
namespace {

constexpr const char* kKey = "roofcast-bench";

bool IsProduct(const Measured& row) {
  return row.what.part == Part::kGemm || row.what.part == Part::kGemv;
}

// Fastest of the rows that `bytes` or `flops` are known of; 0 for none.
template <class Amount>
double Fastest(const std::vector<Measured>& measured, int threads, const Amount& amount) {
  double rate = 0;
  for (const Measured& row : measured) {
    const double much = amount(row);
    if (much > 0) rate = std::max(rate, much / row.repeats.Time(threads).value());
  }
  return rate;
}

// The lowest three of four digits say nothing about a machine.
double Rounded(double value) {
  const double scale = std::pow(10.0, std::floor(std::log10(value)) - 3);
  return std::round(value / scale) * scale;
}

class Builder {
 public:
  Builder(const Setting& setting, const std::string& date) {
    auto own = std::make_shared<Reference>();
    own->title = "roofcast bench on this machine, " + std::to_string(setting.threads) +
                 (setting.threads == 1 ? " thread" : " threads") + ", " + setting.library + " " +
                 setting.version + ", " + date;
    own->year = ParseInteger(date.substr(0, 4)).value_or(0);
    own->kind = SourceKind::kMeasured;
    reference_ = own;
  }

  void Note(const std::string& path, const std::string& note, SourceKind kind) {
    device.sources[path] = {kKey, kind, note, {}, reference_};
  }
  void Note(const std::string& path, const std::string& note = "") {
    Note(path, note, SourceKind::kMeasured);
  }

  Device device;

 private:
  std::shared_ptr<const Reference> reference_;
};

}  // namespace

std::optional<Device> DeviceFrom(const Machine& machine,
                                 const std::vector<Measured>& measured,
                                 const Setting& setting,
                                 const std::string& date) {
  const int threads = setting.threads;
  Builder builder(setting, date);
  Device& device = builder.device;
  device.name = setting.device;
  device.title = machine.model + ", " + std::to_string(threads) +
                 (threads == 1 ? " core" : " cores") + ", as measured";
  device.vendor = machine.vendor;
  device.architecture = machine.architecture.empty() ? "unknown" : machine.architecture;
  device.kind = DeviceKind::kCpu;
  device.launch_year = ParseInteger(date.substr(0, 4)).value_or(1);
  builder.Note(
      "launch_year", "year of the measurement; the system knows no other", SourceKind::kAssumed);
  device.compute_units = threads;
  builder.Note("compute_units", "cores that the threads were pinned to");

  for (const DType dtype : {DType::kFp32, DType::kBf16, DType::kInt8}) {
    const double rate = Fastest(measured, threads, [&](const Measured& row) {
      return IsProduct(row) && row.what.dtype == dtype ? row.what.Work().value() : 0;
    });
    if (rate == 0) continue;
    device.peak[dtype] = FlopRate(Rounded(rate));
    builder.Note("peak." + std::string(NameOf(dtype)), "highest that a product reached");
  }
  if (device.peak.empty()) return std::nullopt;
  const DType widest = device.peak.begin()->first;
  const DType vector = BytesOf(widest) >= BytesOf(DType::kBf16) ? widest : DType::kFp32;
  device.vector_peak[vector] = device.peak.begin()->second;
  builder.Note("vector_peak." + std::string(NameOf(vector)),
               "as the peak: products run on the vector units",
               SourceKind::kDerived);

  const double bandwidth = Fastest(measured, threads, [](const Measured& row) {
    if (!IsProduct(row) || row.what.m != 1) return 0.0;
    return Number(row.what.n) * Number(row.what.k) * BytesOf(row.what.dtype).value();
  });
  const double half = machine.last_level_cache.value_or(Bytes(0)).value() / 2;
  const auto read = [&](bool from_cache) {
    return Fastest(measured, threads, [&](const Measured& row) {
      const bool wanted = row.what.part == Part::kMemory && row.what.op == "read";
      const double bytes = row.traffic.value();
      // What fits in an eighth to a half of the cache, and what is twice as large at least.
      const bool fits = bytes <= half && bytes >= half / 4;
      const bool beyond = bytes >= 4 * half && bytes >= 1e8;
      return wanted && (from_cache ? fits : beyond) ? bytes : 0;
    });
  };
  const double plain = read(false);
  if (bandwidth == 0 && plain == 0) return std::nullopt;
  device.memory.technology = "DRAM";
  device.memory.capacity = machine.memory;
  builder.Note("memory.capacity", "as the system reports it");
  device.memory.bandwidth = Bandwidth(Rounded(bandwidth > 0 ? bandwidth : plain));
  builder.Note("memory.bandwidth",
               bandwidth == 0
                   ? "of a plain read"
                   : "at which products with a vector read their weights" +
                         (plain == 0 ? std::string()
                                     : "; a plain read reaches " + Format(Bandwidth(plain))));
  if (machine.last_level_cache) {
    DeviceCache& cache = device.last_level_cache.emplace();
    cache.capacity = *machine.last_level_cache;
    builder.Note("last_level_cache.capacity", "as the system reports it, of the cores used");
    if (const double rate = read(true); rate > 0) {
      cache.bandwidth = Bandwidth(Rounded(rate));
      builder.Note("last_level_cache.bandwidth", "of a plain read of at most half of it");
    }
  }
  return device;
}

std::string DeviceFileName(const std::string& device) {
  std::string name = device;
  std::replace(name.begin(), name.end(), '-', '_');
  return name + ".yaml";
}

}  // namespace roofcast::bench
