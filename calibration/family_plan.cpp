// SPDX-License-Identifier: Apache-2.0
#include "calibration/family_plan.h"

#include <algorithm>
#include <string>
#include <utility>

#include "calibration/families/families.h"
#include "core/error.h"
#include "core/text.h"

namespace roofcast {

const std::vector<FamilyPlan>& FamilyPlans() {
  static const std::vector<FamilyPlan> plans = [] {
    std::vector<FamilyPlan> all = {
        ElementwisePlan(),
        EmbeddingPlan(),
        GemmPlan(),
        PrefillPlan(),
        EncoderPlan(),
        MlaPrefillPlan(),
        MoePlan(),
        DecodePlan(),
        MlaDecodePlan(),
    };
    for (FamilyPlan& plan : CpuPlans()) all.push_back(std::move(plan));
    return all;
  }();
  return plans;
}

SeriesPlace PlaceOf(const FamilyPlan& plan, const MeasuredRow& row) {
  if (plan.place) return plan.place(row);
  if (plan.pools_frameworks) return {row.format, "", "", row.framework};
  return {row.format, row.framework, row.kernel, ""};
}

const FamilyPlan* FindPlan(std::string_view family, DeviceKind kind) {
  const auto& plans = FamilyPlans();
  const auto find = [&](std::optional<DeviceKind> of) {
    return std::find_if(plans.begin(), plans.end(), [&](const FamilyPlan& plan) {
      return plan.family == family && plan.device_kind == of;
    });
  };
  for (const std::optional<DeviceKind> of : {std::optional(kind), std::optional<DeviceKind>()}) {
    if (const auto found = find(of); found != plans.end()) return &*found;
  }
  return nullptr;
}

const FamilyPlan& PlanOf(std::string_view family, DeviceKind kind) {
  if (const FamilyPlan* found = FindPlan(family, kind)) return *found;
  const auto& plans = FamilyPlans();
  std::vector<std::string> known;
  known.reserve(plans.size());
  for (const FamilyPlan& plan : plans) {
    const std::string name(plan.family);
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  throw ArgumentError("family '" + Printable(family) + "' can't be fitted; there are " +
                      JoinWithOr(known));
}

}  // namespace roofcast
