# SPDX-License-Identifier: Apache-2.0
"""Dependencies point down: every #include of the tree is an edge that the layers allow."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from repository import ROOT

LINES = 400

# Layer -> the layers that it may include beside itself. A file belongs to the longest folder that
# is its path's beginning; "." after a folder are the files right in it.
GROUND = ["core", "hardware", "models/."]
SIBLINGS = ["models/llm", "models/kernels", "models/collectives", "models/memory"]
STEPS = [*GROUND, *SIBLINGS, "models/parallelism", "models/steps"]
ABOVE = ["models/serving", "models/planning", "models/scenarios", "models/validation"]
MODELS = [*STEPS, *ABOVE]
LAYERS: dict[str, list[str]] = {
    "core": [],
    "hardware": ["core"],
    "models/.": ["core", "hardware"],
    "models/llm": GROUND,
    "models/kernels": GROUND,
    "models/collectives": GROUND,
    "models/memory": [*GROUND, "models/llm"],
    "models/parallelism": [*GROUND, *SIBLINGS],
    "models/steps": [*GROUND, *SIBLINGS, "models/parallelism"],
    "models/serving": STEPS,
    "models/planning": [*STEPS, "models/serving"],
    "models/scenarios": [*STEPS, "models/serving", "models/planning"],
    "models/validation": STEPS,
    "calibration": MODELS,
    "cli": MODELS,
    "cli/calibrate": [*MODELS, "calibration", "cli"],
    "python/bindings": MODELS,
    "python/bindings/calibration": [*MODELS, "calibration", "python/bindings"],
    "tests": [*MODELS, "calibration", "cli"],
}

# Headers of other projects: the name's beginning -> the paths that may include them.
OTHERS: dict[str, str] = {
    "ceres/jet.h": r"calibration/|tests/|cli/calibrate/|python/bindings/calibration/|.*\.cpp$",
    "ceres/": r"calibration/|python/bindings/calibration/|tests/calibration/",
    "oneapi/": r"calibration/bench/kernels/",
    "glog/": r"calibration/",
    "Eigen/": r"calibration/|tests/calibration/|.*\.cpp$",
    "yaml-cpp/": r"core/yaml_node\.cpp$",
    "nlohmann/": r"core/json\.h$|.*\.cpp$",
    "CLI/": r"cli/",
    "pybind11/": r"python/bindings/",
    "doctest/": r"tests/",
}
SYSTEM = re.compile(r"[a-z_]+(\.h)?|sys/\w+\.h")


def sources(root: Path) -> Iterator[Path]:
    for folder in ("core", "hardware", "models", "calibration", "cli", "python", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cpp"):
                yield path


def layer_of(path: str) -> str | None:
    folders = [name for name in LAYERS if not name.endswith(".") and path.startswith(f"{name}/")]
    if folders:
        return max(folders, key=len)
    folder = path.rpartition("/")[0]
    return f"{folder}/." if f"{folder}/." in LAYERS else None


def fault_of(path: str, header: str, quoted: bool, root: Path) -> str | None:
    if quoted:
        layer, below = layer_of(path), layer_of(header)
        if layer is None:
            return "stands in no layer"
        if header == "core/version.h":  # generated
            return None
        if not (root / header).exists():
            return f'"{header}" is no path from the root of the project'
        if below == layer or below in LAYERS[layer]:
            return None
        return f'{layer} may not include "{header}" of {below}'
    for start, allowed in OTHERS.items():
        if header.startswith(start):
            return None if re.match(allowed, path) else f"<{header}> may not be included here"
    return None if SYSTEM.fullmatch(header) else f"<{header}> is of no known project"


def faults(root: Path) -> list[str]:
    found = []
    for source in sources(root):
        path = source.relative_to(root).as_posix()
        if path.startswith("tests/consumer/"):  # a user's program: sees what is installed
            continue
        for number, line in enumerate(source.read_text().splitlines(), 1):
            include = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
            if include is None:
                continue
            fault = fault_of(path, include[2], include[1] == '"', root)
            if fault:
                found.append(f"{path}:{number}: {fault}")
    return found


def test_includes_point_down() -> None:
    assert faults(ROOT) == []


PLANTED = [
    ("core/text.cpp", '#include "hardware/device.h"'),
    ("core/text.cpp", "#include <yaml-cpp/yaml.h>"),
    ("core/text.h", "#include <nlohmann/json.hpp>"),
    ("hardware/device.h", '#include "models/cost.h"'),
    ("models/cost.h", "#include <ceres/jet.h>"),
    ("models/kernels/gemm.cpp", "#include <ceres/ceres.h>"),
    ("models/kernels/gemm.cpp", '#include "models/llm/architecture.h"'),
    ("models/memory/ledger.h", '#include "models/kernels/gemm.h"'),
    ("models/llm/tensors.h", '#include "models/memory/ledger.h"'),
    ("models/parallelism/plan.h", '#include "models/steps/predict.h"'),
    ("models/steps/predict.h", "#include <pybind11/pybind11.h>"),
    ("models/steps/predict.h", "#include <CLI/CLI.hpp>"),
    ("models/steps/predict.h", "#include <boost/any.hpp>"),
    ("models/steps/predict.h", '#include "step_time.h"'),
    ("models/steps/predict.h", '#include "models/validation/folds.h"'),
    ("models/validation/folds.h", '#include "calibration/fit.h"'),
    ("python/bindings/module.cpp", '#include "calibration/fit.h"'),
]


@pytest.mark.parametrize(("path", "line"), PLANTED)
def test_forbidden_include_is_found(path: str, line: str, tmp_path: Path) -> None:
    for folder in ("core", "hardware", "models", "python"):
        for source in (ROOT / folder).rglob("*.h"):
            copy = tmp_path / source.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    planted = tmp_path / path
    planted.parent.mkdir(parents=True, exist_ok=True)
    planted.write_text((ROOT / path).read_text() + line + "\n")
    number = len(planted.read_text().splitlines())
    assert [fault.split(": ")[0] for fault in faults(tmp_path)] == [f"{path}:{number}"]


def test_files_are_short() -> None:
    files = list(sources(ROOT))
    for folder in ("python", "tests", "docs"):
        files += (ROOT / folder).rglob("*.py")
    lengths = {path: len(path.read_text().splitlines()) for path in files}
    assert {path: length for path, length in lengths.items() if length > LINES} == {}


def test_citations_in_comments_are_in_the_bibliography() -> None:
    keys = re.findall(r"^([\w.-]+):", (ROOT / "hardware/references.yaml").read_text(), re.M)
    cited = re.compile(r"//.*?\[([a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*)\](?![\w(])")
    unknown = []
    for source in sources(ROOT):
        path = source.relative_to(ROOT).as_posix()
        if not path.startswith(("hardware/", "models/")):
            continue
        text = source.read_text()
        unknown += [
            f"{path}: [{key}]" for key in cited.findall(text) if len(key) > 3 and key not in keys
        ]
    assert unknown == []
