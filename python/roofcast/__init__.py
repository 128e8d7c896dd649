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

`roofcast.plot` (needs matplotlib), `roofcast.frame` (needs pandas) and `roofcast.calibration` are
imported when they are first used.
"""

import importlib
from importlib.util import find_spec
from types import ModuleType

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
    "training_memory",
    "validate",
]

# Modules that are imported when they are first used -> what each needs.
_LAZY = {"calibration": "roofcast._calibration", "frame": "pandas", "plot": "matplotlib"}


def __getattr__(name: str) -> ModuleType:
    if name in _LAZY:
        return importlib.import_module(f"roofcast.{name}")
    raise AttributeError(f"module 'roofcast' has no attribute '{name}'")


def __dir__() -> list[str]:
    # What can't be imported here isn't shown: help() and inspect look at everything that is.
    return sorted([*__all__, *(name for name, need in _LAZY.items() if find_spec(need))])
