// SPDX-License-Identifier: Apache-2.0
#include "calibration/read_rows.h"

#include <doctest/doctest.h>

#include "calibration/calibrate.h"
#include "core/error.h"
#include "core/sha256.h"
#include "hardware/catalog.h"

namespace roofcast {
namespace {

const std::string kGemmHeader = "gpu,source,dtype,m,n,k,latency_us\n";

MeasuredRows Read(const std::string& text, bool any_device = false) {
  MeasuredRows rows;
  const auto device = any_device ? nullptr : std::make_shared<const Device>(LoadDevice("h100-sxm"));
  ReadRows(text, "data/rows.csv", device, rows);
  return rows;
}

void CheckRefused(const std::string& text, const std::string& message) {
  CHECK_THROWS_WITH_AS(Read(text), message.c_str(), SpecError);
}

}  // namespace

TEST_CASE("A GEMM row becomes an operator, its microseconds and its key") {
  const MeasuredRows rows = Read(kGemmHeader + "h100_sxm_80g,lab,bf16,16,4096,1024,12.5\n");
  REQUIRE(rows.rows.size() == 1);
  const MeasuredRow& row = rows.rows.front();
  const Gemm& op = std::get<Gemm>(row.op);
  CHECK(op.m == 16);
  CHECK(op.n == 4096);
  CHECK(op.k == 1024);
  CHECK(op.weights == DType::kBf16);
  CHECK(row.family == "gemm");
  CHECK(row.format == "bf16");
  CHECK(row.time == 12.5);
  CHECK(row.key == "4096,1024");
  CHECK(row.file == "rows.csv");
  CHECK(row.line == 2);
  CHECK(row.source == "lab");
  CHECK(row.text == "h100_sxm_80g,lab,bf16,16,4096,1024,12.5\n");
  CHECK(row.device->name == "h100-sxm");
}

TEST_CASE("Attention rows go to the family whose form predicts them") {
  const std::string header =
      "phase,dtype,kv_dtype,batch,q_len,kv_len,heads,kv_heads,head_dim,window,latency_us\n";
  const MeasuredRows rows = Read(header + "prefill,bf16,bf16,2,512,1024,32,8,128,256,100\n" +
                                 "decode,bf16,bf16,64,1,4096,32,8,128,0,500\n");
  REQUIRE(rows.rows.size() == 2);
  CHECK(rows.rows[0].family == "prefill");
  CHECK(rows.rows[0].key == "32,8,128");
  const Attention& prefill = std::get<Attention>(rows.rows[0].op);
  CHECK(prefill.queries == 512);
  CHECK(prefill.keys == 1024);
  CHECK(prefill.value_dim == 128);
  CHECK(prefill.window == 256);
  CHECK(rows.rows[1].family == "decode");
  CHECK_THROWS_AS(Read(header + "prefill,bf16,bf16,2,512,256,32,8,128,0,100\n"), SpecError);
  CHECK_THROWS_AS(Read(header + "prefill,bf16,bf16,2,512,512,32,5,128,0,100\n"), SpecError);
}

TEST_CASE("Without a device, rows of every device that the catalog has are read") {
  const MeasuredRows rows = Read(kGemmHeader +
                                     "h100_sxm_80g,,bf16,16,4096,1024,12\n"
                                     "A100-SXM4-80GB,,bf16,16,4096,1024,13\n"
                                     "no_such_gpu,,bf16,16,4096,1024,13\n"
                                     ",,bf16,16,4096,1024,13\n",
                                 true);
  REQUIRE(rows.rows.size() == 2);
  CHECK(rows.rows[0].device->name == "h100-sxm");
  CHECK(rows.rows[1].device->name == "a100-sxm");
  CHECK(rows.skipped.at("no gpu") == 1);
  CHECK(rows.skipped.at("measured on no_such_gpu, which the catalog lacks") == 1);
}

TEST_CASE("Rows that can't be used are counted with the reason") {
  const MeasuredRows rows = Read(kGemmHeader +
                                 "h200_sxm_141g,,bf16,16,4096,1024,12\n"
                                 "h100_sxm_80g,,bf16,16,4096,,12\n"
                                 "H100-SXM,,bf16,16,4096,1024,\n");
  CHECK(rows.rows.empty());
  CHECK(rows.skipped.at("measured on h200_sxm_141g, not on h100-sxm") == 1);
  CHECK(rows.skipped.at("no k") == 1);
  CHECK(rows.skipped.at("no latency_us") == 1);
}

TEST_CASE("Values that can't be right are refused, all of them with their place") {
  CheckRefused(kGemmHeader + "h100,,bf16,16,4096,1024,12\nh100,,bf16,0,4096,x,-3\n",
               "data/rows.csv:3:12: m: '0' is not positive; write a size\n"
               "data/rows.csv:3:19: k: 'x' is not a number; leave the cell empty when the value is "
               "not known\n"
               "data/rows.csv:3:21: latency_us: '-3' is not positive; write microseconds, or "
               "nothing where it is not known");
  CheckRefused(kGemmHeader + "h100,,bf16,9007199254740993,4096,1024,12\n",
               "data/rows.csv:2:12: m: '9007199254740993' is too large for a size; check its unit");
  CheckRefused(kGemmHeader + "h100,,bf16,1,2,3,4.9e-324\nh100,,bf16,1,2,3,1e-308\n",
               "data/rows.csv:2:18: latency_us: '4.9e-324' is below 0.001 microseconds; check its "
               "unit, or leave the cell empty where it is not known\n"
               "data/rows.csv:3:18: latency_us: '1e-308' is below 0.001 microseconds; check its "
               "unit, or leave the cell empty where it is not known");
}

TEST_CASE("Files that are no tables of operators are refused") {
  CheckRefused("", "data/rows.csv: holds no header; name the columns in the first line");
  CheckRefused(kGemmHeader, "data/rows.csv:1:1: has a header but no rows; name a file with rows");
  CHECK_THROWS_WITH_AS(Read("op,bytes,latency_us\nall_reduce,2,3\n"),
                       doctest::Contains("data/rows.csv:1:1: no table of operators that can be "
                                         "fitted; the header needs latency_us and the columns of "),
                       SpecError);
  MeasuredRows rows;
  CHECK_THROWS_AS(LoadRows("no_such.csv", nullptr, rows), NotFoundError);
}

TEST_CASE("The data hash depends on the rows, not on their order") {
  const auto hash = [](const std::string& text) {
    const MeasuredRows rows = Read(kGemmHeader + text);
    std::vector<const MeasuredRow*> pointers;
    for (const MeasuredRow& row : rows.rows) pointers.push_back(&row);
    return DataHash(pointers);
  };
  CHECK(hash("h100,,bf16,1,2,3,4\nh100,,bf16,5,6,7,8\n") ==
        hash("h100,,bf16,5,6,7,8\nh100,,bf16,1,2,3,4\n"));
  CHECK(hash("h100,,bf16,1,2,3,4\nh100,,bf16,5,6,7,8\n") ==
        Sha256("h100,,bf16,1,2,3,4\nh100,,bf16,5,6,7,8\n"));
}

}  // namespace roofcast
