// SPDX-License-Identifier: Apache-2.0
#include "core/embedded.h"
#include "core/version.h"
#include "python/bindings/bind.h"
#include "python/bindings/seal.h"

PYBIND11_MODULE(_core, m) {
  namespace python = roofcast::python;
  m.doc() = "The compiled part of roofcast; use the names of the package roofcast.";
  m.attr("__version__") = roofcast::kVersion;
  m.attr("catalog_hash") = roofcast::EmbeddedHash("catalog");
  m.attr("fits_hash") = roofcast::EmbeddedHash("fits");
  python::BindErrors(m);
  python::BindSources(m);
  python::BindBreakdown(m);
  python::BindHardware(m);
  python::BindLlm(m);
  python::BindPlan(m);
  python::BindStepTime(m);
  python::BindFlops(m);
  python::BindPredict(m);
  python::BindValidation(m);
  python::BindSpecFields(m);
  python::SealClasses(m);
}
