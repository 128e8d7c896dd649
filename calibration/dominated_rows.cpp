// SPDX-License-Identifier: Apache-2.0
#include "calibration/dominated_rows.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace roofcast {
namespace {

struct Job {
  std::array<double, 4> sizes{};
  double time = 0;
  std::size_t row = 0;

  bool IsLarger(const Job& other) const {
    return std::equal(
        sizes.begin(), sizes.end(), other.sizes.begin(), [](double a, double b) { return a >= b; });
  }
};

Job JobOf(const FusedMoe& op, double time, std::size_t row) {
  const RoutedLoad load = RouteTokens(op.tokens, op.per_token, op.experts, op.ep, op.routing);
  const double width = op.WidthOnRank();
  return {{static_cast<double>(op.tokens), load.rows, load.rows * width, load.active * width},
          time,
          row};
}

}  // namespace

std::vector<bool> MarkDominated(const std::vector<MeasuredRow>& rows) {
  std::map<std::string, std::vector<Job>> alike;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto* op = std::get_if<FusedMoe>(&rows[i].op);
    if (op == nullptr) continue;
    std::string name;
    for (const std::string* word :
         {&rows[i].key, &rows[i].format, &rows[i].framework, &rows[i].version, &rows[i].kernel}) {
      name += *word + "\n";
    }
    alike[name].push_back(JobOf(*op, rows[i].time, i));
  }
  std::vector<bool> marked(rows.size());
  for (const auto& [name, jobs] : alike) {
    for (const Job& job : jobs) {
      marked[job.row] = std::any_of(jobs.begin(), jobs.end(), [&](const Job& other) {
        return other.time * kProvenRandom < job.time && other.IsLarger(job);
      });
    }
  }
  return marked;
}

}  // namespace roofcast
