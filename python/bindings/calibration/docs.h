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

A table has the columns m, n, k, dtype, latency_us (GEMM) or phase, dtype, kv_dtype, batch, q_len,
kv_len, heads, kv_heads, head_dim, window, latency_us (attention), in any order and with others
beside them. Rows in bf16 and fp16 are fitted.

Parameters
----------
paths : str, path or several of them
    CSV files.
device : str, path or Device
    What the rows were measured on.

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
