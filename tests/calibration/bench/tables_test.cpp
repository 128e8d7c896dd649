// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "calibration/bench/device_file.h"
#include "calibration/bench/grid.h"
#include "calibration/bench/measured.h"
#include "calibration/bench/small_models.h"
#include "calibration/read_rows.h"
#include "core/output.h"
#include "core/spec_writer.h"
#include "hardware/catalog.h"
#include "hardware/cluster.h"
#include "models/llm/tensors.h"

namespace roofcast::bench {
namespace {

const Setting kSetting = {"my-cpu", "onednn", "2.6.3", 1};

Measured Timed(const Case& what, double seconds) {
  Measured measured{what, "kernel", Bytes(0), {}};
  for (int i = 0; i < 5; ++i) {
    measured.repeats.timings.push_back({Seconds(seconds), Seconds(seconds)});
  }
  if (what.part == Part::kMemory || what.part == Part::kElementwise) {
    measured.traffic = Bytes(4.0 * static_cast<double>(what.rows * what.columns));
  }
  return measured;
}

// What a case reads and writes at the least.
double TouchedBy(const Case& c) {
  if (c.part == Part::kAttention) {
    return 8.0 * static_cast<double>(c.batch * c.keys * c.heads * c.head_dim);
  }
  return 4.0 * static_cast<double>(c.n * c.k + c.m * (c.n + c.k));
}

// The quick grid, each case timed as its work goes at 50 GFLOP/s or what it touches at 10 GB/s; a
// product with a vector takes both.
std::vector<Measured> QuickGrid() {
  GridChoice choice;
  choice.quick = true;
  choice.formats = {DType::kFp32, DType::kInt8};
  std::vector<Measured> all;
  for (const Case& c : MakeGrid(choice)) {
    double seconds = 0;
    if (c.part == Part::kMemory || c.part == Part::kElementwise) {
      seconds = 12.0 * static_cast<double>(c.rows * c.columns) / 10e9;
    } else if (c.m == 1) {
      seconds = c.Work().value() / 50e9 + 4.0 * static_cast<double>(c.n * c.k) / 10e9;
    } else {
      seconds = std::max(c.Work().value() / 50e9, TouchedBy(c) / 10e9);
    }
    all.push_back(Timed(c, seconds));
  }
  return all;
}

Machine SomeMachine() {
  Machine machine;
  machine.model = "A Processor";
  machine.vendor = "Somebody";
  machine.architecture = "x86_64";
  machine.cores = {0};
  machine.last_level_cache = Bytes(32.0 * 1024 * 1024);
  machine.memory = Bytes(16e9);
  machine.free_memory = Bytes(8e9);
  return machine;
}

}  // namespace

TEST_CASE("calibrate reads every row of the tables of operators, and names why it leaves memory") {
  const std::vector<Measured> measured = QuickGrid();
  const auto device = DeviceFrom(SomeMachine(), measured, kSetting, "2026-01-31");
  REQUIRE(device.has_value());
  MeasuredRows rows;
  std::size_t memory = 0;
  for (const auto& [name, text] : FormatTables(measured, kSetting)) {
    const std::size_t before = rows.rows.size();
    ReadRows(text, name, std::make_shared<const Device>(*device), rows);
    if (name == "memory.csv") CHECK(rows.rows.size() == before);
  }
  for (const Measured& one : measured) memory += one.what.part == Part::kMemory ? 1 : 0;
  CHECK(rows.rows.size() == measured.size() - memory);
  std::int64_t skipped = 0;
  for (const auto& [reason, count] : rows.skipped) skipped += count;
  CHECK(skipped == static_cast<std::int64_t>(memory));
  // Enough of every series to be fitted.
  std::map<std::string, std::set<std::string>> keys;
  std::map<std::string, int> counts;
  for (const MeasuredRow& row : rows.rows) {
    keys[row.family + " " + row.format].insert(row.key);
    ++counts[row.family + " " + row.format];
  }
  CHECK(keys.size() >= 8);
  for (const auto& entry : keys) {
    const std::string& series = entry.first;
    CAPTURE(series);
    CHECK(entry.second.size() >= 5);
    CHECK(counts[series] >= 20);
  }
}

TEST_CASE("A row says what was measured, and its median in microseconds") {
  Case c;
  c.part = Part::kAttention;
  c.batch = 2;
  c.queries = 1;
  c.keys = 100;
  c.heads = 8;
  c.kv_heads = 4;
  c.head_dim = 64;
  const auto tables = FormatTables({Timed(c, 1.23456e-3)}, kSetting);
  REQUIRE(tables.size() == 1);
  CHECK(tables[0].first == "attention.csv");
  CHECK(tables[0].second ==
        "gpu,source,framework,version,kernel,phase,dtype,kv_dtype,batch,q_len,kv_len,heads,"
        "kv_heads,head_dim,window,latency_us,spread,repeats\n"
        "my-cpu,roofcast-bench,onednn,2.6.3,kernel,decode,fp32,fp32,2,1,100,8,4,64,0,1235,0,5\n");
}

TEST_CASE("The device has the best rate of each format and the bandwidth of cold vectors") {
  const auto device = DeviceFrom(SomeMachine(), QuickGrid(), kSetting, "2026-01-31");
  REQUIRE(device.has_value());
  CHECK(device->kind == DeviceKind::kCpu);
  CHECK(device->compute_units == 1);
  CHECK(device->PeakOf(DType::kFp32).value() == doctest::Approx(50e9));
  CHECK(device->Supports(DType::kInt8));
  CHECK_FALSE(device->Supports(DType::kBf16));
  // m = 1: 4 n k bytes in 2 n k / 50e9 + 4 n k / 10e9 seconds.
  CHECK(device->memory.bandwidth.value() ==
        doctest::Approx(4 / (2 / 50e9 + 4 / 10e9)).epsilon(1e-3));
  CHECK(device->last_level_cache->capacity == Bytes(32.0 * 1024 * 1024));
  CHECK(device->sources.at("peak.fp32").kind == SourceKind::kMeasured);
}

TEST_CASE("The device's file is one that clusters are made of") {
  const auto device = DeviceFrom(SomeMachine(), QuickGrid(), kSetting, "2026-01-31");
  std::string name = (std::filesystem::temp_directory_path() / "roofcast_XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(name.data());
  const std::string file = (folder / DeviceFileName("my-cpu")).string();
  WriteOutput(file, WriteSpec(*device));
  CHECK(DeviceFileName("my-cpu") == "my_cpu.yaml");
  const Cluster cluster = LoadCluster(file + ":1");
  CHECK(cluster.device.name == "my-cpu");
  CHECK(cluster.device.PeakOf(DType::kFp32) == device->PeakOf(DType::kFp32));
  CHECK(cluster.device.memory.bandwidth == device->memory.bandwidth);
  std::filesystem::remove_all(folder);
}

TEST_CASE("Without products there is no device") {
  std::vector<Measured> measured = QuickGrid();
  std::erase_if(measured, [](const Measured& one) {
    return one.what.part == Part::kGemm || one.what.part == Part::kGemv;
  });
  CHECK_FALSE(DeviceFrom(SomeMachine(), measured, kSetting, "2026-01-31").has_value());
}

TEST_CASE("Only the families asked for are in the grid, and the quick one is smaller") {
  GridChoice choice;
  choice.formats = {DType::kFp32};
  const std::size_t whole = MakeGrid(choice).size();
  choice.quick = true;
  CHECK(MakeGrid(choice).size() < whole / 2);
  choice.parts = {Part::kGemv};
  for (const Case& c : MakeGrid(choice)) CHECK(c.part == Part::kGemv);
  CHECK_FALSE(MakeGrid(choice).empty());
}

TEST_CASE("No matrix and no head of the small models is in the grid") {
  GridChoice choice;
  choice.formats = {DType::kFp32};
  std::set<std::pair<std::int64_t, std::int64_t>> matrices;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> heads;
  for (const Case& c : MakeGrid(choice)) {
    matrices.insert({c.n, c.k});
    heads.insert({c.heads, c.kv_heads, c.head_dim});
  }
  for (const SmallModel& model : SmallModels(false, DType::kFp32, std::nullopt)) {
    const AttentionLayer& attention = model.llm.kinds.front().attention;
    CHECK_FALSE(heads.contains({attention.heads, attention.kv_heads, attention.head_dim}));
    std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> fused;
    for (const Tensor& tensor : LayerTensors(model.llm.kinds.front(), model.llm.hidden)) {
      if (tensor.gemm.empty()) continue;
      fused[tensor.gemm].first += tensor.outputs;
      fused[tensor.gemm].second = tensor.inputs;
    }
    CHECK(fused.size() == 4);
    for (const auto& [name, sizes] : fused) CHECK_FALSE(matrices.contains(sizes));
  }
}

TEST_CASE("A model's weights are at least four times a large cache") {
  const Bytes cache(400e6);
  for (const SmallModel& model : SmallModels(true, DType::kFp32, cache)) {
    double bytes = 0;
    for (const Tensor& tensor : LayerTensors(model.llm.kinds.front(), model.llm.hidden)) {
      bytes += 4.0 * static_cast<double>(tensor.Parameters() * model.llm.LayerCount());
    }
    CHECK(bytes >= 4 * cache.value());
  }
}

}  // namespace roofcast::bench
