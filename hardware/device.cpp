// SPDX-License-Identifier: Apache-2.0
#include "hardware/device.h"

#include <algorithm>

#include "core/error.h"
#include "core/spec_reader.h"
#include "core/text.h"

namespace roofcast {

bool Device::Supports(DType dtype) const {
  return peak.contains(dtype) || vector_peak.contains(dtype);
}

FlopRate Device::PeakOf(DType dtype) const {
  for (const auto* rates : {&peak, &vector_peak}) {
    if (const auto found = rates->find(dtype); found != rates->end()) return found->second;
  }
  std::vector<std::string> known;
  for (const DTypeRow& row : DTypes()) {
    if (Supports(row.dtype)) known.emplace_back(row.name);
  }
  throw ArgumentError(name + ": does not multiply " + std::string(NameOf(dtype)) + "; use " +
                      JoinWithOr(known));
}

FlopRate Device::VectorPeak() const {
  for (const DType dtype : {DType::kFp32, DType::kFp16, DType::kBf16, DType::kFp64}) {
    if (const auto found = vector_peak.find(dtype); found != vector_peak.end()) {
      return found->second;
    }
  }
  throw ArgumentError(name + ": has no vector rate in fp32, fp16, bf16 or fp64; add 'vector_peak'");
}

void Device::Check(SpecReader& reader) const {
  if (peak.empty()) {
    reader.AddProblem("peak", "no number format", "add at least one, as 'bf16: 312 TFLOP/s'");
  }
  const bool has_vector = std::any_of(vector_peak.begin(), vector_peak.end(), [](const auto& rate) {
    return rate.first != DType::kTf32 && BytesOf(rate.first) >= BytesOf(DType::kFp16);
  });
  if (!has_vector) {
    reader.AddProblem("vector_peak",
                      "no rate in fp32, fp16, bf16 or fp64",
                      "add what the units beside the matrix units reach, as 'fp32: 19.5 TFLOP/s'");
  }
  if (memory.reported_capacity) {
    const double ratio = *memory.reported_capacity / memory.capacity;
    if (ratio < 0.8 || ratio > 1.1) {
      reader.AddProblem("memory.reported_capacity",
                        "differs from 'capacity' by more than GB against GiB can explain",
                        "check both units");
    }
  }
}

}  // namespace roofcast
