# SPDX-License-Identifier: Apache-2.0
"""Fits the coefficients of the formulas to measurements.

Loads Ceres, which `import roofcast` doesn't; only in builds with ``ROOFCAST_CALIBRATION``.
"""

import importlib
from typing import Any

try:
    _calibration = importlib.import_module("roofcast._calibration")
except ModuleNotFoundError as error:
    if error.name != "roofcast._calibration":
        raise
    raise ImportError(
        "roofcast.calibration: is not part of this build; configure roofcast with "
        "-DROOFCAST_CALIBRATION=ON (by pip: "
        "--config-settings=cmake.define.ROOFCAST_CALIBRATION=ON)",
        name="roofcast.calibration",
    ) from None


def __getattr__(name: str) -> Any:
    return getattr(_calibration, name)


def __dir__() -> list[str]:
    return sorted(name for name in dir(_calibration) if not name.startswith("_"))
