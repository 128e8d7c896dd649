// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "calibration/family_plan.h"

// One function for each family of operators, in the file of its name.
namespace roofcast {

FamilyPlan ElementwisePlan();
FamilyPlan EmbeddingPlan();
FamilyPlan GemmPlan();
FamilyPlan PrefillPlan();
FamilyPlan EncoderPlan();
FamilyPlan MlaPrefillPlan();
FamilyPlan MoePlan();
FamilyPlan DecodePlan();
FamilyPlan MlaDecodePlan();

// Those of processors, which have forms of their own.
std::vector<FamilyPlan> CpuPlans();

}  // namespace roofcast
