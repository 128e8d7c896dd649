// SPDX-License-Identifier: Apache-2.0
#include "calibration/family_plan.h"

#include <algorithm>
#include <string>

#include "calibration/families/families.h"
#include "core/error.h"
#include "core/text.h"

namespace roofcast {

const std::vector<FamilyPlan>& FamilyPlans() {
  static const std::vector<FamilyPlan> plans = {
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
  return plans;
}

SeriesPlace PlaceOf(const FamilyPlan& plan, const MeasuredRow& row) {
  if (plan.place) return plan.place(row);
  if (plan.pools_frameworks) return {row.format, "", "", row.framework};
  return {row.format, row.framework, row.kernel, ""};
}

const FamilyPlan* FindPlan(std::string_view family) {
  const auto& plans = FamilyPlans();
  const auto found = std::find_if(
      plans.begin(), plans.end(), [&](const FamilyPlan& plan) { return plan.family == family; });
  return found == plans.end() ? nullptr : &*found;
}

const FamilyPlan& PlanOf(std::string_view family) {
  if (const FamilyPlan* found = FindPlan(family)) return *found;
  const auto& plans = FamilyPlans();
  std::vector<std::string> known;
  known.reserve(plans.size());
  for (const FamilyPlan& plan : plans) known.emplace_back(plan.family);
  throw ArgumentError("family '" + Printable(family) + "' can't be fitted; there are " +
                      JoinWithOr(known));
}

}  // namespace roofcast
