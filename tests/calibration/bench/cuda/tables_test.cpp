// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/tables.h"

#include <doctest/doctest.h>

#include "calibration/bench/cuda/device_name.h"
#include "calibration/bench/cuda/samples.h"
#include "calibration/read_rows.h"
#include "hardware/catalog.h"

namespace roofcast::bench::cuda {
namespace {

const Latency kLatency{12.3456789, 0.01, 6, 5};

TEST_CASE("the tables of products and attention are what calibrate reads") {
  Table gemm(Family::kGemm, "h100-sxm");
  gemm.Add({"cublaslt", "13.0.2", "cublaslt"}, GemmFormat::kBf16, {16, 4096, 1024}, kLatency);
  Table decode(Family::kDecode, "h100-sxm");
  decode.Add({"roofcast", "0.1.0", "flash"}, AttentionPoint{4, 1, 100, 32, 8, 128, 0}, kLatency);
  MeasuredRows data;
  const auto device = std::make_shared<const Device>(LoadDevice("h100-sxm"));
  ReadRows(gemm.text(), gemm.FileName(), device, data);
  ReadRows(decode.text(), decode.FileName(), device, data);
  REQUIRE(data.rows.size() == 2);
  CHECK(data.skipped.empty());
  CHECK(data.rows[0].time == doctest::Approx(12.346));
  CHECK(data.rows[0].key == "4096,1024");
  CHECK(data.rows[1].key == "32,8,128");
  CHECK(gemm.FileName() == "h100-sxm__gemm.csv");
}

TEST_CASE("rows of other families carry their own columns") {
  Table rows(Family::kElementwise, "l40s");
  rows.Add({"cuda", "13.0", "cudaMemcpyAsync"}, RowPoint{RowOp::kCopy, 2, 8}, kLatency);
  CHECK(rows.text() ==
        "gpu,source,framework,version,kernel,op,dtype,rows,cols,bytes_rw,"
        "latency_us,spread,repeats,copies\n"
        "l40s,roofcast-bench-cuda,cuda,13.0,cudaMemcpyAsync,copy,bf16,2,8,64,12.346,0.01,6,5\n");
  Table ring(Family::kCollectives, "l40s");
  ring.Add({"nccl", "2.28.9", "nccl_graph"},
           Collective::kAllGather,
           13440,
           {2, "peer access"},
           kLatency);
  CHECK(ring.text().find("nccl_graph,all_gather,bf16,2,1,peer access,13440,12.346") !=
        std::string::npos);
  Table host(Family::kHost, "l40s");
  host.Add({"cuda", "13.0", "empty"}, HostPoint{HostOp::kLaunchEager, 0}, kLatency);
  CHECK(host.text().find("empty,launch_eager,0,12.346") != std::string::npos);
  CHECK(host.rows() == 1);
}

TEST_CASE("a GPU is called what the catalog calls it") {
  CHECK(DeviceNameOf("NVIDIA H100 80GB HBM3") == "h100-sxm");
  CHECK(DeviceNameOf("NVIDIA A100-SXM4-80GB") == "a100-sxm");
  CHECK(DeviceNameOf("NVIDIA L40S") == "l40s");
  CHECK(DeviceNameOf("NVIDIA H200") == "h200-sxm");
  CHECK(DeviceNameOf("NVIDIA B200") == "b200");
  CHECK(DeviceNameOf("Tesla T4") == "t4");
  CHECK(DeviceNameOf("NVIDIA GeForce RTX 4090") == "rtx-4090");
  CHECK(DeviceNameOf("NVIDIA RTX 9999 Ti (test/board)") == "rtx-9999-ti-test-board");
  CHECK(DeviceNameOf("./h100_sxm.yaml") == "h100-sxm-yaml");
  CHECK(DeviceNameOf("") == "unknown-gpu");
}

TEST_CASE("a latency is the median replay over its operators, with the quartiles' spread") {
  const Latency latency = Summarise({100, 900, 110, 120, 105}, 10, 5);
  CHECK(latency.median_us == doctest::Approx(11));
  CHECK(latency.spread == doctest::Approx(15.0 / 110));
  CHECK(latency.repeats == 5);
  CHECK(latency.copies == 5);
  CHECK(Summarise({7}, 1, 1).median_us == 7);
}

TEST_CASE("a graph takes every copy as often, and lasts while the events resolve it") {
  CHECK(OperatorsPerGraph(2, 5) == 200);
  CHECK(OperatorsPerGraph(100, 5) == 5);
  CHECK(OperatorsPerGraph(100, 3) == 6);
  CHECK(OperatorsPerGraph(1e6, 1) == 1);
  CHECK(OperatorsPerGraph(0, 7) == 203);
}

}  // namespace
}  // namespace roofcast::bench::cuda
