// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/fields.h"
#include "core/quantity.h"
#include "core/source.h"

namespace roofcast {

class SpecReader;

enum class DeviceKind : std::uint8_t {
  kGpu,
  kTpu,
  kNpu,
  kCpu,
  kSoc,  // a GPU that shares chip and memory with its CPU
  kPim,  // processors in the memory itself; its bandwidth is the internal one
};
template <>
struct EnumNames<DeviceKind> {
  static constexpr std::array<std::pair<DeviceKind, std::string_view>, 6> kNames = {{
      {DeviceKind::kGpu, "gpu"},
      {DeviceKind::kTpu, "tpu"},
      {DeviceKind::kNpu, "npu"},
      {DeviceKind::kCpu, "cpu"},
      {DeviceKind::kSoc, "soc"},
      {DeviceKind::kPim, "pim"},
  }};
};

// The memory that holds weights and KV cache.
struct DeviceMemory {
  std::string technology;
  Bytes capacity;
  std::optional<Bytes> reported_capacity;
  Bandwidth bandwidth;

  // What a program can see: the driver's figure where known, else the marketed one.
  Bytes Visible() const { return reported_capacity.value_or(capacity); }

  template <class V>
  static void Fields(V& v) {
    v("technology", &DeviceMemory::technology, "HBM3, GDDR6, DDR5, ...");
    v("capacity", &DeviceMemory::capacity, "as marketed");
    v("reported_capacity",
      &DeviceMemory::reported_capacity,
      "as the driver or cloud API reports it; memory verdicts use it where known");
    v("bandwidth", &DeviceMemory::bandwidth, "peak, reads and writes together");
  }
};

struct DeviceCache {
  Bytes capacity;
  std::optional<Bandwidth> bandwidth;

  template <class V>
  static void Fields(V& v) {
    v("capacity", &DeviceCache::capacity, "of the last level shared by all units");
    v("bandwidth", &DeviceCache::bandwidth, "measured peak of that level");
  }
};

// One accelerator SKU. Peaks are dense: rates with structured sparsity are not in the catalog.
struct Device {
  std::string name;
  std::string title;
  std::string vendor;
  std::string architecture;
  DeviceKind kind = DeviceKind::kGpu;
  std::vector<std::string> aliases;
  std::optional<std::string> default_node;
  std::int64_t launch_year = 0;
  std::int64_t compute_units = 0;
  std::optional<Hertz> clock;
  std::map<DType, FlopRate> peak;
  std::map<DType, FlopRate> vector_peak;
  DeviceMemory memory;
  std::optional<DeviceCache> last_level_cache;
  std::optional<std::string> host_link;
  std::optional<Watts> power;
  std::optional<DollarRate> price;

  Sources sources;   // key path -> source, filled by the reader
  std::string file;  // where the device was read

  // Whether matrices of this format are multiplied, on whatever unit.
  bool Supports(DType dtype) const;
  // Dense rate of matrix products: of the matrix units, or of the vector units where those don't
  // take the format (fp32 on NVIDIA's). Throws ArgumentError that lists what the device has.
  FlopRate PeakOf(DType dtype) const;
  // Peak of the vector units in fp32, or in the nearest format known.
  FlopRate VectorPeak() const;
  // Cross-field checks after reading.
  void Check(SpecReader& reader) const;

  template <class V>
  static void Fields(V& v) {
    v("name", &Device::name, "kebab-case; the file is called the same with '_'");
    v("title", &Device::title, "the full product name");
    v("vendor", &Device::vendor, "who makes it");
    v("architecture", &Device::architecture, "lower case: ampere, hopper, cdna3, ...");
    v("kind",
      &Device::kind,
      "gpu, tpu, npu, cpu, soc (shares memory with its CPU) or pim (computes in memory)");
    v("aliases", &Device::aliases, "other names of the same SKU");
    v("default_node",
      &Device::default_node,
      "cluster file whose node `NAME:COUNT` is made of; without one the device stands alone");
    v("launch_year", &Device::launch_year, "year of first shipment");
    v("compute_units", &Device::compute_units, "SMs, CUs or cores");
    v("clock", &Device::clock, "clock that the dense peaks imply");
    v("peak", &Device::peak, "dense matrix rate by number format, accumulating in fp32 or wider");
    v("vector_peak", &Device::vector_peak, "rate of the vector units by number format");
    v("memory", &Device::memory, "device memory");
    v("last_level_cache", &Device::last_level_cache, "last cache level before device memory");
    v("host_link", &Device::host_link, "a link of the catalog: the one to the host's memory");
    v("power", &Device::power, "board or package power limit");
    v("price", &Device::price, "rent of one device");
  }
};

}  // namespace roofcast
