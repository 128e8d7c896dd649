// SPDX-License-Identifier: Apache-2.0
// What holds for every prediction, over models, clusters, plans and verbs.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "models/llm/config.h"
#include "models/steps/json.h"
#include "models/steps/predict.h"

namespace roofcast {
namespace {

struct Case {
  const char* model;
  const char* cluster;
  const char* plan;  // "" = chosen
  char verb;         // t, p or d
};
const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"llama-3.1-70b", "h100-sxm:8", "", 'd'},
      {"llama-3.1-70b", "h100-sxm:8", "tp8", 'p'},
      {"llama-3.1-70b", "h100-sxm:64", "tp8-pp4", 't'},
      {"llama-3.1-70b", "h100-sxm:1", "", 'd'},
      {"llama-3.1-8b", "a100-sxm:24", "tp2-pp3", 't'},
      {"llama-3.2-1b", "h100-sxm:8", "pp4", 't'},
      {"mixtral-8x7b", "mi300x:8", "tp4", 'd'},
      {"mixtral-8x7b", "mi300x:16", "tp8", 't'},
      {"deepseek-v3", "h200-sxm:16", "tp16", 'd'},
      {"deepseek-v3", "h200-sxm:8", "tp8", 'p'},
      {"deepseek-v3", "h200-sxm:128", "tp8-pp8", 't'},
      {"gpt-oss-20b", "h100-sxm:1", "", 'd'},
      {"gemma-2-9b", "l40s:4", "tp2-pp2", 'p'},
      {"gemma-3-27b", "b200:8", "tp4-pp2", 't'},
      {"qwen3-235b-a22b", "b200:8", "", 'd'},
      {"qwen2.5-7b", "rtx-4090:2", "tp2", 'd'},
      {"mistral-7b", "t4:8", "tp4", 'p'},
  };
  return cases;
}

StepTime Predict(const Case& row) {
  const Llm llm = LoadLlm(row.model);
  const Cluster cluster = LoadCluster(row.cluster);
  Options options;
  if (*row.plan != '\0') options.plan = ParsePlan(row.plan);
  switch (row.verb) {
    case 't':
      return PredictTrainStep(llm, cluster, {.global_batch = 96, .sequence = 4096}, options);
    case 'p':
      return PredictPrefill(llm, cluster, {.batch = 2, .input = 3000}, options);
    default:
      return PredictDecode(llm, cluster, {.batch = 32, .context = 4096}, options);
  }
}

template <class F>
void ForEachCase(F check) {
  for (const Case& row : Cases()) {
    CAPTURE(row.model);
    CAPTURE(row.cluster);
    CAPTURE(row.plan);
    CAPTURE(row.verb);
    check(Predict(row));
  }
}

void CheckNode(const Node& node) {
  CAPTURE(node.name);
  CHECK(!node.name.empty());
  CHECK(node.count >= 1);
  CHECK(node.hidden == Seconds(0));
  if (node.children.empty()) {
    CHECK(node.kind != NodeKind::kGroup);
    CHECK((node.kind == NodeKind::kCollective) == (node.bound == Bound::kNetwork));
    CHECK(node.time > Seconds(0));
    return;
  }
  CHECK(node.kind == NodeKind::kGroup);
  Seconds sum;
  for (const Node& child : node.children) {
    CheckNode(child);
    sum += child.time;
  }
  CHECK(node.time.value() == doctest::Approx(sum.value()).epsilon(1e-9));
  const auto times = TimeByBound(node);
  CHECK(times[static_cast<std::size_t>(node.bound)] ==
        *std::max_element(times.begin(), times.end()));
}

void CheckBytes(const Node& node) {
  CAPTURE(node.name);
  CHECK(node.kind == NodeKind::kBytes);
  CHECK(std::isfinite(node.bytes.value()));
  if (node.children.empty()) return;
  Bytes sum;
  for (const Node& child : node.children) {
    CheckBytes(child);
    sum += child.bytes;
  }
  CHECK(node.bytes.value() == doctest::Approx(sum.value()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("every line of a breakdown is the sum of those below it, and the root is the step") {
  ForEachCase([](const StepTime& step) {
    CheckNode(step.breakdown);
    CHECK(step.breakdown.time == step.time);
    CHECK(step.breakdown.bound == step.bound);
    CHECK(step.breakdown.name == step.verb);
    CHECK(std::isfinite(step.time.value()));
    CHECK(step.tokens_per_s > 0);
    if (!step.interval) return;  // nothing was fitted for that device
    CHECK(step.interval->low > Seconds(0));
    CHECK(step.interval->low < step.time);
    CHECK(step.interval->high > step.time);
    CHECK(step.interval->high < 3 * step.time);
  });
}

TEST_CASE("a ledger adds up, and the verdict follows from it") {
  ForEachCase([](const StepTime& step) {
    const MemoryReport& memory = step.memory;
    CheckBytes(memory.bytes);
    CHECK(memory.headroom == memory.capacity - memory.bytes.bytes);
    CHECK(step.fits == (memory.headroom >= Bytes(0)));
    CHECK(step.why.empty() == step.fits);
  });
}

template <class Matches>
bool HasLeaf(const Node& node, const Matches& matches) {
  if (node.children.empty()) return matches(node);
  return std::any_of(node.children.begin(), node.children.end(), [&](const Node& child) {
    return HasLeaf(child, matches);
  });
}

TEST_CASE("every source says what it is of, where from and where written") {
  ForEachCase([](const StepTime& step) {
    std::vector<std::string> names;
    std::size_t coefficients = 0;
    for (const UsedSource& source : step.sources) {
      CAPTURE(source.name);
      names.push_back(source.name);
      coefficients += source.name.starts_with("assumed coefficients.") ? 1 : 0;
      CHECK(!source.from.empty());
      CHECK(!source.place.empty());
    }
    const auto count_of = [&](std::string_view end) {
      return std::count_if(
          names.begin(), names.end(), [&](const auto& name) { return name.ends_with(end); });
    };
    // What each leaf was computed with, fitted series or plain coefficients, and no others.
    const auto is_named = [&](const std::string& family) {
      return std::any_of(names.begin(), names.end(), [&](const auto& name) {
        return name.starts_with("assumed coefficients." + family + ".") ||
               name.find(" " + family + " ") != std::string::npos;
      });
    };
    CHECK_FALSE(HasLeaf(step.breakdown, [&](const Node& leaf) {
      return !leaf.family.empty() && !is_named(leaf.family);
    }));
    for (const std::string& name : names) {
      CAPTURE(name);
      constexpr std::string_view kPlain = "assumed coefficients.";
      if (!name.starts_with(kPlain) || name.starts_with("assumed coefficients.memory.")) continue;
      CHECK(HasLeaf(step.breakdown, [&](const Node& leaf) {
        return name.starts_with(std::string(kPlain) + leaf.family + ".");
      }));
    }
    CHECK(coefficients > 0);
    CHECK(count_of(" memory.bandwidth") == 1);
    CHECK(count_of("capacity") == 1);
    const auto peaks = std::count_if(names.begin(), names.end(), [](const auto& name) {
      return name.find(" peak.") != std::string::npos;
    });
    CHECK(peaks >= 1);
    const std::int64_t devices = LoadCluster(step.cluster).devices;
    const std::int64_t a_node = LoadCluster(step.cluster).node.devices_per_node;
    CHECK(count_of("bandwidth_per_direction") >= (devices > a_node ? 2 : devices > 1 ? 1 : 0));
    std::sort(names.begin(), names.end());
    CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
    CHECK(step.assumptions.contains("coefficients"));
    CHECK(step.assumptions.contains("precision"));
  });
}

TEST_CASE("eight threads at once predict the same bits") {
  std::vector<std::string> alone;
  for (const Case& row : Cases()) alone.push_back(ToJson(Predict(row)).dump());
  std::vector<std::vector<std::string>> together(8);
  std::vector<std::thread> threads;
  threads.reserve(together.size());
  for (auto& answers : together) {
    threads.emplace_back([&answers] {
      for (const Case& row : Cases()) answers.push_back(ToJson(Predict(row)).dump());
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& answers : together) CHECK(answers == alone);
}

}  // namespace roofcast
