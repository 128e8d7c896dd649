// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

// One function a layer; module.cpp calls them in this order, classes before functions that take
// them, so that no C++ name gets into a signature.
namespace roofcast::python {

void BindErrors(pybind11::module_& m);
void BindSources(pybind11::module_& m);
void BindBreakdown(pybind11::module_& m);
void BindHardware(pybind11::module_& m);
void BindLlm(pybind11::module_& m);
void BindPlan(pybind11::module_& m);
void BindStepTime(pybind11::module_& m);
void BindFlops(pybind11::module_& m);
void BindPredict(pybind11::module_& m);
void BindValidation(pybind11::module_& m);
void BindSpecFields(pybind11::module_& m);

}  // namespace roofcast::python
