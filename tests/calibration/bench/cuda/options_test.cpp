// SPDX-License-Identifier: Apache-2.0
#include "calibration/bench/cuda/options.h"

#include <doctest/doctest.h>

#include "core/error.h"

namespace roofcast::bench::cuda {
namespace {

std::string Refusal(const std::vector<std::string>& words) {
  try {
    ParseOptions(words);
  } catch (const ArgumentError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("flags are read with a space or an equals sign, and lists at their commas") {
  const Options options = ParseOptions({"--families",
                                        "gemm,host",
                                        "--dtypes=bf16,fp8",
                                        "--grid=full",
                                        "--copies",
                                        "1",
                                        "--gpus",
                                        "2,8",
                                        "--verify",
                                        "--seconds=1.5"});
  CHECK(options.Wants(Family::kGemm));
  CHECK_FALSE(options.Wants(Family::kDecode));
  CHECK(options.Wants(GemmFormat::kFp8));
  CHECK_FALSE(options.Wants(GemmFormat::kFp32));
  CHECK(options.grid == GridSize::kFull);
  CHECK(options.copies == 1);
  CHECK(options.gpus == std::vector<int>{2, 8});
  CHECK(options.verify);
  CHECK(options.seconds == 1.5);
}

TEST_CASE("without flags everything is measured as the public tables were") {
  const Options options = ParseOptions({});
  for (const auto& [family, name] : EnumNames<Family>::kNames) CHECK(options.Wants(family));
  CHECK(options.copies == 5);
  CHECK(options.warm_ups == 3);
  CHECK(options.replays == 6);
}

TEST_CASE("a flag that can't be used is refused with the cure") {
  CHECK(Refusal({"--copys", "3"}).find("did you mean '--copies'") != std::string::npos);
  CHECK(Refusal({"gemm"}).find("is no flag") != std::string::npos);
  CHECK(Refusal({"--copies"}).find("has no value; give N") != std::string::npos);
  CHECK(Refusal({"--copies="}).find("is empty") != std::string::npos);
  CHECK(Refusal({"--copies", "0"}).find("from 1 to 1000") != std::string::npos);
  CHECK(Refusal({"--replays", "6.5"}).find("whole number") != std::string::npos);
  CHECK(Refusal({"--seconds", "nan"}).find("from 0 to 3600") != std::string::npos);
  CHECK(Refusal({"--families", "gemm,"}).find("attention_prefill") != std::string::npos);
  CHECK(Refusal({"--dtypes", "fp12"}).find("bf16") != std::string::npos);
  CHECK(Refusal({"--verify=yes"}).find("takes no value") != std::string::npos);
  CHECK(Refusal({"--gpus", "1"}).find("from 2") != std::string::npos);
}

TEST_CASE("collectives run on the usual numbers of GPUs that are there, or on those asked for") {
  CHECK(GpuCounts({}, 1).empty());
  CHECK(GpuCounts({}, 6) == std::vector<int>{2, 4});
  CHECK(GpuCounts(ParseOptions({"--gpus", "3,5"}), 6) == std::vector<int>{3, 5});
  CHECK_THROWS_WITH_AS(GpuCounts(ParseOptions({"--gpus", "8"}), 6),
                       "--gpus: '8': there are 6; ask for no more",
                       ArgumentError);
}

TEST_CASE("help names every flag and the list every family that is asked for") {
  for (const char* flag : {"--output", "--verify", "--interconnect", "--list"}) {
    CHECK(Help().find(flag) != std::string::npos);
  }
  const std::string list = ListGrid(ParseOptions({"--families", "gemm,elementwise"}));
  CHECK(list.find("gemm: ") == 0);
  CHECK(list.find("elementwise: ") != std::string::npos);
  CHECK(list.find("host") == std::string::npos);
}

}  // namespace
}  // namespace roofcast::bench::cuda
