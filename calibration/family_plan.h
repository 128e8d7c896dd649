// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/form_rows.h"
#include "calibration/measured_row.h"
#include "hardware/device.h"

namespace roofcast {

// What a row is fitted with: rows of the same format, framework and kernel are one series, in which
// each group has factors of its own.
struct SeriesPlace {
  std::string format;
  std::string framework;
  std::string kernel;
  std::string group;
};

// How the rows of a family are fitted.
struct FamilyPlan {
  std::string_view family;
  std::string_view form;
  // Devices that it is for; none: those of every kind that no other plan names.
  std::optional<DeviceKind> device_kind;
  // Rows of one format are one series; without this, those of one format, framework and kernel.
  bool pools_frameworks = false;
  // Coefficients that each framework (or group) of a pooled series multiplies by a factor of its
  // own.
  std::vector<std::string_view> framework_fields;
  // Where neither is right, as when a kernel has too few rows of each format.
  std::function<SeriesPlace(const MeasuredRow& row)> place;
  // Rows of the same word are kin: a series of fewer than kFewRows is drawn towards what they teach
  // together, instead of towards the form's own prior.
  std::function<std::string(const MeasuredRow& row)> kin;
  // Choices to fit a series with; the one of least cost on all its rows is taken.
  std::function<std::vector<KernelChoice>(const MeasuredRow& first, const Device& device)> kernels;
  double robust_width = 0.06;
  double prior_weight = 0.2;  // see FitTask
  int starts = 3;
};

SeriesPlace PlaceOf(const FamilyPlan& plan, const MeasuredRow& row);

// The only list of them. Each has its plan in families/NAME.cpp.
const std::vector<FamilyPlan>& FamilyPlans();
// nullptr when no form holds the family on that kind of device.
const FamilyPlan* FindPlan(std::string_view family, DeviceKind kind);
// The plan of a family for that kind of device, else the one for any. Throws ArgumentError that
// lists those known.
const FamilyPlan& PlanOf(std::string_view family, DeviceKind kind);

}  // namespace roofcast
