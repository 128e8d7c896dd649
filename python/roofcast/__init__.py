# SPDX-License-Identifier: Apache-2.0
"""How long an LLM's training or inference step takes, what limits it and whether it fits.

    >>> import roofcast as rc
    >>> llm, cluster = rc.load_llm("llama-3.1-70b"), rc.load_cluster("h100-sxm", devices=8)
    >>> step = rc.predict_decode(llm, cluster, rc.Plan(tp=8), batch=32, context=4096)
    >>> step.fits, step.bound
    (True, 'memory')

Quantities are floats in SI base units, with the unit at the end of the name (``time_s``,
``bandwidth_bytes_per_s``). Model, cluster and plan are given by position, everything else by
keyword. Values can't be changed. Whatever is wrong with an input is a `roofcast.Error`.

`roofcast.plot` (needs matplotlib), `roofcast.frame` and `roofcast.measurements` (need pandas) and
`roofcast.calibration` are imported when they are first used.
"""

import importlib
import os
from collections.abc import Iterable as _Iterable
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from roofcast._core import (
    ArgumentError,
    Cluster,
    Device,
    Error,
    Llm,
    Memory,
    Node,
    NotFoundError,
    Plan,
    Problem,
    Source,
    SpecError,
    StepTime,
    Validation,
    __version__,
    catalog_hash,
    fits_hash,
    flops,
    list_clusters,
    list_devices,
    list_models,
    load_cluster,
    load_device,
    load_llm,
    memory,
    predict_decode,
    predict_prefill,
    predict_train_step,
    training_memory,
    validate,
)

if TYPE_CHECKING:
    from roofcast.measurements import Measurements

__all__ = [
    "ArgumentError",
    "Cluster",
    "Device",
    "Error",
    "Llm",
    "Memory",
    "Node",
    "NotFoundError",
    "Plan",
    "Problem",
    "Source",
    "SpecError",
    "StepTime",
    "Validation",
    "__version__",
    "catalog_hash",
    "fits_hash",
    "flops",
    "list_clusters",
    "list_devices",
    "list_models",
    "load_cluster",
    "load_device",
    "load_llm",
    "memory",
    "predict_decode",
    "predict_prefill",
    "predict_train_step",
    "read_measurements",
    "training_memory",
    "validate",
]

# Modules that are imported when they are first used -> what each needs.
_LAZY = {"calibration": "roofcast._calibration", "frame": "pandas", "measurements": "pandas"}
_LAZY |= {"plot": "matplotlib"}


def read_measurements(
    paths: "str | os.PathLike[str] | _Iterable[str | os.PathLike[str]]",
    *,
    gpu: str | None = None,
    framework: str | None = None,
) -> "Measurements":
    """Reads measurements in the forms that people hold into common tables; needs pandas.

    Parameters
    ----------
    paths : str, os.PathLike or several of them
        Files, told by their content: tables of aiconfigurator (Parquet needs pyarrow) and vidur,
        CSV of ``nsys stats``, traces of PyTorch's profiler, logs of nccl-tests, common tables.
    gpu : str, optional
        The GPU, where files don't name it. Rows of another one are dropped.
    framework : str, optional
        The framework, where files don't name it.

    Returns
    -------
    Measurements
        `tables` by family, and `dropped`: every row that was left out, with the reason.

    Raises
    ------
    NotFoundError
        If a file can't be read or no device is called so.
    SpecError
        If a file is of no known form, damaged or without rows.
    Error
        If pandas, or pyarrow for Parquet, is missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import roofcast as rc
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "gemm.csv"
    >>> _ = path.write_text("dtype,m,n,k,latency_us\\nbf16,16,64,64,3.5\\nbf16,32,64,64,-1\\n")
    >>> print(rc.read_measurements(path, gpu="h100-sxm"))
           1 rows  gemm
           1 dropped  gemm.csv: latency_us is negative (row 3)
    """
    try:
        from roofcast.measurements import read
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("roofcast"):
            raise
        cure = "install it with `pip install 'roofcast[pandas]'`"
        raise Error(f"measurements: {error.name} is missing; {cure}") from None
    return read(paths, gpu=gpu, framework=framework)


def __getattr__(name: str) -> ModuleType:
    if name in _LAZY:
        return importlib.import_module(f"roofcast.{name}")
    raise AttributeError(f"module 'roofcast' has no attribute '{name}'")


def __dir__() -> list[str]:
    # What can't be imported here isn't shown: help() and inspect look at everything that is.
    return sorted([*__all__, *(name for name, need in _LAZY.items() if find_spec(need))])
