// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roofcast::python {

inline constexpr const char* kCalibrationDoc =
    R"(Coefficients fitted to measurements, and how well they predict.

Printed as text it shows the tables of the command 'roofcast calibrate'.)";

inline constexpr const char* kSaveDoc = R"(Writes the fit as a YAML file for predictions.

Parameters
----------
path : str or path
    The file, replaced when it is there. `fits=` of the predictions takes its path.

Raises
------
OSError
    If it can't be written.)";

inline constexpr const char* kCalibrateDoc = R"(Fits operator families to measured times.

Tables are recognised by their headers, the schemas of 'roofcast calibrate --help'. Rows that can't
be used are counted in `skipped_rows` with the reason. Each series (a family, a number format and,
where kernels differ, a framework) gets one set of coefficients, cross-validated in five folds that
no shape is on both sides of.

Parameters
----------
paths : str, path or several of them
    CSV files.
device : str, path or Device
    What the rows were measured on.
families : str or list of str, optional
    Fit these alone: 'gemm', 'prefill', 'decode', ...; all that there are rows of by default.

Returns
-------
Calibration

Raises
------
SpecError
    If a table is wrong; `problems` names each cell.
NotFoundError
    If a file or the device is not there.
ArgumentError
    If there are too few rows to fit.)";

}  // namespace roofcast::python
