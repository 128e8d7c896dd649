// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "cli/row_writer.h"
#include "core/csv.h"

namespace roofcast::cli {
namespace {

// Flags that a plan holds: their cells come from the plan that was worked out.
struct PlanFlag {
  std::string_view name;
  std::int64_t Plan::*member;
};
constexpr std::array kPlanFlags = {PlanFlag{"tp", &Plan::tp},
                                   PlanFlag{"pp", &Plan::pp},
                                   PlanFlag{"dp", &Plan::dp},
                                   PlanFlag{"replicas", &Plan::replicas},
                                   PlanFlag{"micro-batch", &Plan::micro_batch},
                                   PlanFlag{"zero", &Plan::zero},
                                   PlanFlag{"cp", &Plan::cp},
                                   PlanFlag{"ep", &Plan::ep},
                                   PlanFlag{"moe-tp", &Plan::moe_tp},
                                   PlanFlag{"vpp", &Plan::vpp},
                                   PlanFlag{"shard", &Plan::shard}};

void AddFigure(CsvWriter& csv, bool known, double value) {
  if (known) {
    csv.Add(value);
  } else {
    csv.Add("");
  }
}

std::string Join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

std::string ColumnName(std::string_view flag) {
  std::string name(flag);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class FlatWriter : public RowWriter {
 public:
  FlatWriter(const RowsContext& context, Output& output)
      : context_(context), output_(output), csv_(Header()) {}

  void Add(const Point& point, const StepTime& step) override {
    const Plan& plan = step.plan;
    AddStart(point, FormatPlan(plan));
    for (const PlanFlag& flag : plan_flags_) csv_.Add(plan.*flag.member);
    AddLoad(point);
    if (trains_) {
      csv_.Add(NameOf(plan.recompute)).Add(plan.sequence_parallel ? "true" : "false");
    }
    csv_.Add(step.fits ? "true" : "false");
    if (timed_) {
      csv_.Add(step.time.value());
      AddFigure(csv_, step.interval.has_value(), step.interval.value_or(Interval{}).low.value());
      AddFigure(csv_, step.interval.has_value(), step.interval.value_or(Interval{}).high.value());
      csv_.Add(NameOf(step.bound)).Add(step.tokens_per_s).Add(step.tokens_per_s_per_device);
    }
    if (trains_ && timed_) {
      AddFigure(csv_, step.mfu.has_value(), step.mfu.value_or(0));
      AddFigure(csv_, step.hfu.has_value(), step.hfu.value_or(0));
      csv_.Add(step.flops_convention);
    }
    const MemoryReport& memory = step.memory;
    csv_.Add(memory.bytes.bytes.value()).Add(memory.capacity.value()).Add(memory.headroom.value());
    if (trains_) {
      csv_.Add(memory.rank_stage).Add(NameOf(memory.phase.value_or(TrainingPhase::kForward)));
      csv_.Add(NameOf(memory.verdict));
      AddFigure(csv_, memory.logged.has_value(), memory.logged.value_or(Bytes(0)).value());
    } else {
      csv_.Add(memory.kv_bytes_per_token.value()).Add(memory.kv_tokens).Add(memory.kv_concurrency);
    }
    csv_.Add(memory.parameters.total).Add(Join(step.extrapolated)).Add(Join(step.why)).Add("");
    csv_.EndRow();
  }

  void AddRefused(const Point& point, const std::string& reason) override {
    AddStart(point, "");
    for (const PlanFlag& flag : plan_flags_) AddInput(point, flag.name);
    AddLoad(point);
    const std::size_t done = kStart + plan_flags_.size() + load_.size();
    for (std::size_t i = done; i + 1 < columns_; ++i) csv_.Add("");
    csv_.Add(reason);
    csv_.EndRow();
  }

  void Finish() override { output_.Write(csv_.text()); }

 private:
  static constexpr std::size_t kStart = 4;  // verb, model, cluster, plan

  std::vector<std::string> Header() {
    trains_ = context_.verb.name.ends_with("train");
    timed_ = !IsMemoryVerb(context_.verb.name);
    std::vector<std::string> names = {"verb", "model", "cluster", "plan"};
    for (const Flag& flag : context_.verb.flags) {
      if (flag.kind != FlagKind::kNumbers) continue;
      const auto of_plan = std::find_if(kPlanFlags.begin(),
                                        kPlanFlags.end(),
                                        [&](const PlanFlag& f) { return f.name == flag.name; });
      if (of_plan == kPlanFlags.end()) {
        load_.push_back(flag.name);
      } else {
        plan_flags_.push_back(*of_plan);
      }
    }
    for (const PlanFlag& flag : plan_flags_) names.push_back(ColumnName(flag.name));
    for (const std::string_view flag : load_) names.push_back(ColumnName(flag));
    const auto append = [&](std::initializer_list<const char*> more) {
      names.insert(names.end(), more.begin(), more.end());
    };
    if (trains_) append({"recompute", "sequence_parallel"});
    append({"fits"});
    if (timed_) {
      append({"time_s",
              "interval_low_s",
              "interval_high_s",
              "bound",
              "tokens_per_s",
              "tokens_per_s_per_device"});
    }
    if (trains_ && timed_) append({"mfu", "hfu", "flops_convention"});
    append({"memory_bytes", "capacity_bytes", "headroom_bytes"});
    if (trains_) append({"stage", "phase", "verdict", "logged_bytes"});
    if (!trains_) append({"kv_bytes_per_token", "kv_tokens", "kv_concurrency"});
    append({"parameters", "extrapolated", "why", "error"});
    columns_ = names.size();
    return names;
  }

  void AddStart(const Point& /*point*/, const std::string& plan) {
    csv_.Add(context_.verb.name).Add(context_.model).Add(context_.cluster).Add(plan);
  }
  void AddInput(const Point& point, std::string_view flag) {
    if (const auto value = Find(point, flag)) {
      csv_.Add(*value);
    } else {
      csv_.Add("");
    }
  }
  void AddLoad(const Point& point) {
    for (const std::string_view flag : load_) AddInput(point, flag);
  }

  RowsContext context_;
  Output& output_;
  bool trains_ = false;
  bool timed_ = true;
  std::size_t columns_ = 0;
  std::vector<PlanFlag> plan_flags_;
  std::vector<std::string_view> load_;
  CsvWriter csv_;  // last: its header needs what stands above
};

}  // namespace

std::unique_ptr<RowWriter> MakeCsvWriter(const RowsContext& context, Output& output) {
  return std::make_unique<FlatWriter>(context, output);
}

}  // namespace roofcast::cli
