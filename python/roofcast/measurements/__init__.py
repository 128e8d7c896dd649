# SPDX-License-Identifier: Apache-2.0
"""Reads measurements in the forms that people hold into the tables that roofcast fits to.

    >>> import roofcast as rc
    >>> found = rc.read_measurements("gemm_perf.parquet")        # doctest: +SKIP
    >>> print(found)                                             # doctest: +SKIP
    >>> found.save("measured")                                   # doctest: +SKIP

A form is recognised by its content: tables of aiconfigurator (Parquet or text) and vidur (CSV),
`nsys stats` (CSV of cuda_gpu_kern_sum, cuda_gpu_trace and nvtx_kern_sum), traces of PyTorch's
profiler (JSON), logs of nccl-tests (text or JSON), and the common tables themselves; all of them
also as gzip. From the shell: ``python -m roofcast.measurements IN... --output DIR``.

Nothing is left out silently: what can't be used is counted with its line and the reason. Whether
a time is plausible is not asked here but where the tables are read, by `roofcast calibrate`.
"""

from roofcast.measurements.reader import read
from roofcast.measurements.result import Measurements

__all__ = ["Measurements", "read"]
