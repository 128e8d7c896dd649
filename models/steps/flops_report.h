// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "hardware/device.h"
#include "models/llm/flops.h"

// The work of a training step by every convention in use, and the utilisation that a measured
// throughput means by each of them.
namespace roofcast {

struct FlopsLoad {
  std::vector<std::int64_t> lengths;  // tokens of each sequence, packed or not
  RepeatedWork repeated = RepeatedWork::kNone;
};

// A throughput somebody measured, to be judged against the dense peak of one device.
struct MeasuredRate {
  Device device;
  DType dtype = DType::kBf16;
  double tokens_per_s_per_device = 0;
};

struct FlopsByConvention {
  std::string convention;
  Flops model;                // forward and backward of the load
  Flops hardware;             // repeated forward work included
  std::optional<double> mfu;  // of the measured rate
  std::optional<double> hfu;
};

struct FlopsReport {
  std::string model;
  std::vector<std::int64_t> lengths;
  std::int64_t tokens = 0;
  ForwardFlops forward;
  std::vector<FlopsByConvention> conventions;  // in the order of FlopsConventions()
};

// Throws ArgumentError for lengths or a rate that can't be, or a format without a peak.
FlopsReport ReportFlops(const Llm& llm,
                        const FlopsLoad& load,
                        const std::optional<MeasuredRate>& rate = std::nullopt);

Json ToJson(const FlopsReport& report);  // without the document's header

}  // namespace roofcast
