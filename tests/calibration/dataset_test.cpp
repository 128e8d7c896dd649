// SPDX-License-Identifier: Apache-2.0
#include "calibration/dataset.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/sha256.h"
#include "tests/calibration/synthetic.h"

namespace roofcast {
namespace {

const std::string kGemmHeader = "gpu,source,dtype,m,n,k,latency_us\n";
const std::string kAttentionHeader =
    "phase,dtype,kv_dtype,batch,q_len,kv_len,heads,kv_heads,head_dim,window,latency_us\n";

Dataset Read(const std::string& text) {
  Dataset dataset;
  ReadOperators(text, "data/rows.csv", LoadDevice("h100-sxm"), dataset);
  return dataset;
}

void CheckRefused(const std::string& text, const std::string& message) {
  CHECK_THROWS_WITH_AS(Read(text), message.c_str(), SpecError);
}

}  // namespace

TEST_CASE("A GEMM row becomes an operator, its time in seconds and its key") {
  const Dataset dataset = Read(kGemmHeader + "h100_sxm_80g,lab,bf16,16,4096,1024,12.5\n");
  REQUIRE(dataset.samples.size() == 1);
  const Sample& sample = dataset.samples.front();
  const Gemm& op = std::get<Gemm>(sample.op);
  CHECK(op.m == 16);
  CHECK(op.n == 4096);
  CHECK(op.k == 1024);
  CHECK(op.weights == DType::kBf16);
  CHECK(sample.time.value() == doctest::Approx(12.5e-6));
  CHECK(sample.key == "4096,1024");
  CHECK(sample.file == "rows.csv");
  CHECK(sample.source == "lab");
  CHECK(sample.row == "h100_sxm_80g,lab,bf16,16,4096,1024,12.5\n");
}

TEST_CASE("Attention rows go to the family whose coefficients predict them") {
  const Dataset dataset = Read(kAttentionHeader +
                               "prefill,bf16,bf16,2,512,1024,32,8,128,256,100\n"
                               "decode,fp16,fp16,64,1,4096,32,8,128,0,50\n");
  REQUIRE(dataset.samples.size() == 2);
  CHECK(dataset.samples[0].family == Family::kPrefillAttention);
  CHECK(dataset.samples[0].key == "32,8,128");
  const Attention& prefill = std::get<Attention>(dataset.samples[0].op);
  CHECK(prefill.queries == 512);
  CHECK(prefill.keys == 1024);
  CHECK(prefill.value_dim == 128);
  CHECK(prefill.window == 256);
  CHECK(dataset.samples[1].family == Family::kDecodeAttention);
  CHECK(std::get<Attention>(dataset.samples[1].op).kv == DType::kFp16);
}

TEST_CASE("Rows that can't be used are counted with the reason") {
  const Dataset gemms = Read(kGemmHeader +
                             "h100_sxm_80g,,fp8,16,4096,1024,12\n"
                             "h100_sxm_80g,,fp8,16,4096,1024,13\n"
                             "h200_sxm_141g,,bf16,16,4096,1024,12\n"
                             "h100_sxm_80g,,bf16,16,4096,,12\n"
                             "H100-SXM,,bf16,16,4096,1024,\n");
  CHECK(gemms.samples.empty());
  const std::map<std::string, std::int64_t> reasons = {
      {"dtype fp8: only bf16 and fp16 are fitted", 2},
      {"measured on h200_sxm_141g, not on h100-sxm", 1},
      {"no k", 1},
      {"no latency_us", 1},
  };
  CHECK(gemms.skipped == reasons);

  const Dataset attention = Read(kAttentionHeader +
                                 "prefill,bf16,fp8,2,512,512,32,8,128,0,100\n"
                                 "encoder,bf16,bf16,2,512,512,32,32,128,0,100\n"
                                 "prefill,bf16,bf16,2,1,1,32,32,128,0,100\n");
  const std::map<std::string, std::int64_t> others = {
      {"kv_dtype fp8: only bf16 and fp16 are fitted", 1},
      {"phase encoder: only prefill and decode are fitted", 1},
      {"phase prefill with q_len 1: predicted as decode", 1},
  };
  CHECK(attention.skipped == others);
}

TEST_CASE("Values that can't be right are refused, all of them with their place") {
  CheckRefused(kGemmHeader + "h100,,bf16,16,4096,1024,12\nh100,,bf16,0,4096,x,-3\n",
               "data/rows.csv:3:12: m: '0' is not positive; write a size\n"
               "data/rows.csv:3:19: k: 'x' is not a number; leave the cell empty when the value is "
               "not known\n"
               "data/rows.csv:3:21: latency_us: '-3' is not positive; write microseconds, or "
               "nothing where it is not known");
  CheckRefused(kAttentionHeader + "prefill,bf16,bf16,2,512,256,32,5,128,-1,100\n",
               "data/rows.csv:2:38: window: '-1' is negative; write a size");
  CheckRefused(kAttentionHeader + "prefill,bf16,bf16,2,512,256,32,5,128,0,100\n",
               "data/rows.csv:2:25: kv_len: '256' is less than q_len; count the new tokens too\n"
               "data/rows.csv:2:32: kv_heads: '5' does not divide heads; check both");
  CheckRefused(kGemmHeader + "h100,,bf16,9007199254740993,4096,1024,12\n",
               "data/rows.csv:2:12: m: '9007199254740993' is too large for a size; check its unit");
}

TEST_CASE("Latencies that nothing has are refused") {
  CheckRefused(kGemmHeader + "h100,,bf16,1,2,3,4.9e-324\nh100,,bf16,1,2,3,1e-308\n",
               "data/rows.csv:2:18: latency_us: '4.9e-324' is below 0.001 microseconds; check its "
               "unit, or leave the cell empty where it is not known\n"
               "data/rows.csv:3:18: latency_us: '1e-308' is below 0.001 microseconds; check its "
               "unit, or leave the cell empty where it is not known");
  CheckRefused(kGemmHeader + "h100,,bf16,1,2,3,2e9\n",
               "data/rows.csv:2:18: latency_us: '2e9' is above 1e9 microseconds; check its unit, "
               "or leave the cell empty where it is not known");
  CHECK(Read(kGemmHeader + "h100,,bf16,1,2,3,0.001\nh100,,bf16,1,2,3,1e9\n").samples.size() == 2);
}

TEST_CASE("Files that are no tables of operators are refused") {
  CheckRefused("", "data/rows.csv: holds no header; name the columns in the first line");
  CheckRefused(kGemmHeader, "data/rows.csv:1:1: has a header but no rows; name a file with rows");
  CheckRefused("m,n,dtype,latency_us\n1,2,bf16,3\n",
               "data/rows.csv:1:1: no column 'k'; did you mean 'm'?");
  CheckRefused(
      "op,bytes,latency_us\nall_reduce,2,3\n",
      "data/rows.csv:1:1: no table of operators that can be fitted; the header needs m, n, "
      "k, dtype, latency_us (GEMM) or phase, dtype, kv_dtype, batch, q_len, kv_len, heads, "
      "kv_heads, head_dim, window, latency_us (attention)");
  Dataset dataset;
  CHECK_THROWS_AS(LoadOperators("no_such.csv", LoadDevice("h100-sxm"), dataset), NotFoundError);
}

TEST_CASE("The data hash depends on the rows, not on their order") {
  const Dataset one = Read(kGemmHeader + "h100,,bf16,1,2,3,4\nh100,,bf16,5,6,7,8\n");
  const Dataset other = Read(kGemmHeader + "h100,,bf16,5,6,7,8\nh100,,bf16,1,2,3,4\n");
  CHECK(DataHash(testing::PointersTo(one)) == DataHash(testing::PointersTo(other)));
  CHECK(DataHash(testing::PointersTo(one)) == Sha256("h100,,bf16,1,2,3,4\nh100,,bf16,5,6,7,8\n"));
}

}  // namespace roofcast
