// SPDX-License-Identifier: Apache-2.0
#include "core/node.h"

#include <doctest/doctest.h>

#include "core/dtype.h"
#include "core/error.h"
#include "tests/core/support.h"

namespace roofcast {
namespace {

Node Leaf(std::string name, double seconds, Bound bound, double hidden = 0) {
  Node node;
  node.name = std::move(name);
  node.kind = NodeKind::kOperator;
  node.time = Seconds(seconds);
  node.hidden = Seconds(hidden);
  node.bound = bound;
  return node;
}

TEST_CASE("A group is the sum of its children, hidden time beside it") {
  Node layer;
  layer.Add(Leaf("gemm", 2, Bound::kCompute));
  layer.Add(Leaf("all-reduce", 3, Bound::kNetwork, 0.5));
  Node step;
  step.Add(layer);
  step.Add(Leaf("head", 4, Bound::kMemory));
  CHECK(step.time == Seconds(9));
  CHECK(step.hidden == Seconds(0.5));
  CHECK(FindChild(step, "head")->time == Seconds(4));
  CHECK(FindChild(step, "absent") == nullptr);
}

TEST_CASE("A node of bytes sums its bytes") {
  Node memory;
  memory.kind = NodeKind::kBytes;
  Node part = memory;
  part.bytes = Bytes(3);
  memory.Add(part);
  memory.Add(part);
  CHECK(memory.bytes == Bytes(6));
}

TEST_CASE("Repetition multiplies times and counts on every level and keeps the sums") {
  Node layer;
  layer.Add(Leaf("gemm", 2, Bound::kCompute, 1));
  layer.Add(Leaf("norm", 1, Bound::kMemory));
  const Node layers = layer.Repeated(4);
  CHECK(layers.time == Seconds(12));
  CHECK(layers.hidden == Seconds(4));
  CHECK(layers.count == 4);
  CHECK(layers.children[0].time == Seconds(8));
  CHECK(layers.children[0].count == 4);
  CHECK((layers.children[0].time + layers.children[1].time) == layers.time);
}

TEST_CASE("A group is bound by what most of the exposed time below it is bound by") {
  Node inner;
  inner.Add(Leaf("a", 3, Bound::kMemory));
  inner.Add(Leaf("b", 2, Bound::kNetwork, 100));  // hidden time doesn't count
  Node outer;
  outer.Add(inner);
  outer.Add(Leaf("c", 2.5, Bound::kNetwork));
  SettleBounds(outer);
  CHECK(outer.children[0].bound == Bound::kMemory);
  CHECK(outer.bound == Bound::kNetwork);
  const auto times = TimeByBound(outer);
  CHECK(times[static_cast<std::size_t>(Bound::kMemory)] == Seconds(3));
  CHECK(times[static_cast<std::size_t>(Bound::kNetwork)] == Seconds(4.5));
  CHECK(times[static_cast<std::size_t>(Bound::kHost)] == Seconds(0));
}

TEST_CASE("Enums are spelled as in the files, and every value has its name") {
  CHECK(NameOf(Bound::kNetwork) == "network");
  CHECK(FindEnum<Bound>("memory") == Bound::kMemory);
  CHECK(!FindEnum<Bound>("Memory"));
  CHECK(EnumWords<NodeKind>() ==
        std::vector<std::string>{"operator", "collective", "host", "group", "bytes"});
}

TEST_CASE("Number formats are found by the names that files and tools use") {
  for (const DTypeRow& row : DTypes()) {
    CHECK(NameOf(row.dtype) == row.name);
    CHECK(FindDType(row.name) == row.dtype);
    CHECK(BytesOf(row.dtype).value() == row.bits / 8.0);
  }
  CHECK(FindDType("torch.bfloat16") == DType::kBf16);
  CHECK(FindDType("BF16") == DType::kBf16);
  CHECK(FindDType("float8_e4m3fn") == DType::kFp8);
  CHECK(FindDType("half") == DType::kFp16);
  CHECK(FindDType("float64") == DType::kFp64);
  CHECK(BytesOf(DType::kTf32) == Bytes(4));
  CHECK(BytesOf(DType::kInt4) == Bytes(0.5));
  CHECK(!FindDType("bf17"));
  CHECK(testing::MessageOf([] { ParseDType("bf17\n"); }) ==
        "dtype: unknown number format 'bf17\\x0A'; use fp64, fp32, tf32, fp16, bf16, fp8, int8, "
        "fp6, fp4 or int4");
}

}  // namespace
}  // namespace roofcast
