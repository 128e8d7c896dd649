// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "calibration/dataset.h"
#include "calibration/family.h"
#include "core/quantity.h"
#include "hardware/device.h"
#include "models/coefficients.h"
#include "models/validation/folds.h"

namespace roofcast {

// For each sample the time that a fit to the other folds predicts, in their order. The whole
// procedure of FitFamily is repeated for each fold, what it holds at the assumed value included.
std::vector<Seconds> PredictHeldOut(Family family,
                                    const std::vector<const Sample*>& samples,
                                    const Device& device,
                                    const KernelCoefficients<double>& assumed);

// What one set of coefficients predicts for each sample.
std::vector<Seconds> PredictAll(const std::vector<const Sample*>& samples,
                                const Device& device,
                                const Coefficients<double>& coefficients);

// max(work / peak, traffic / bandwidth): the datasheet alone, the baseline of every fit.
std::vector<Seconds> PredictFromDatasheet(const std::vector<const Sample*>& samples,
                                          const Device& device);

}  // namespace roofcast
