// SPDX-License-Identifier: Apache-2.0
#include "models/validation/metric.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"

namespace roofcast {

const std::vector<TableMetric>& TableMetrics() {
  static const std::vector<TableMetric> metrics = {
      {"step_time", Metric::kStepTime},
      {"tokens_per_sec_per_gpu", Metric::kTokensPerSecond, "per GPU"},
      {"tokens_per_sec_total", Metric::kTokensPerSecond, "of the cluster"},
      {"model_tflops_per_gpu", Metric::kTflops, "model"},
      {"hw_tflops_per_gpu", Metric::kTflops, "hardware"},
      {"mfu", Metric::kMfu, "model"},
      {"hfu", Metric::kMfu, "hardware"},
      {"time_to_train", Metric::kTimeToTrain},
      {"days_for_300B_tokens", Metric::kTimeToTrain, "days"},
      {"gpu_hours_total", Metric::kTimeToTrain, "GPU hours"},
      {"mem_allocated_per_gpu", Metric::kMemory, "allocated"},
      {"mem_reserved_per_gpu", Metric::kMemory, "reserved", false},
      {"peak_memory_per_gpu", Metric::kMemory, "peak"},
      {"mem_activations_per_gpu", Metric::kMemory, "activations"},
      {"mem_params_optimizer_per_gpu", Metric::kMemory, "parameters and optimizer"},
      {"oom", Metric::kFits},
  };
  return metrics;
}

const TableMetric* FindTableMetric(std::string_view name) {
  const auto& metrics = TableMetrics();
  const auto found = std::find_if(
      metrics.begin(), metrics.end(), [&](const TableMetric& m) { return m.name == name; });
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<Metric> ParseMetrics(std::string_view text) {
  std::vector<Metric> metrics;
  for (const std::string& word : Split(text, ',')) {
    const std::string name(Trim(word));
    const auto metric = FindEnum<Metric>(name);
    if (!metric) {
      const std::vector<std::string> known = EnumWords<Metric>();
      const std::string cure = DidYouMean(name, known);
      throw ArgumentError("metric: no metric " + Quoted(name) +
                          (cure.empty() ? "; use " + JoinWithOr(known) : cure));
    }
    if (std::find(metrics.begin(), metrics.end(), *metric) == metrics.end()) {
      metrics.push_back(*metric);
    }
  }
  return metrics;
}

}  // namespace roofcast
