# SPDX-License-Identifier: Apache-2.0
"""Neither `import roofcast` nor a prediction loads solvers or data-frame and plotting packages."""

import os
import re
import subprocess
import sys

import pytest
from startup_cost import DECODE

HEAVY = re.compile(
    r"ceres|cholmod|suitesparse|umfpack|spqr|amd|metis|openblas|blas|blis|mkl|lapack|atlas|glog"
)


def mapped(script: str) -> set[str]:
    """Names of the shared libraries that a Python process has mapped after a script."""
    script += "\nwith open('/proc/self/maps') as maps: print(maps.read())"
    words = [sys.executable, "-c", script]
    maps = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    return {os.path.basename(path) for path in re.findall(r"/\S+\.so\S*", maps)}


def heavy(libraries: set[str]) -> set[str]:
    return {library for library in libraries if HEAVY.match(library.removeprefix("lib"))}


@pytest.mark.wheel
def test_import_maps_no_solver() -> None:
    ours = mapped("import roofcast")
    assert any(library.startswith("_core") for library in ours)
    assert heavy(ours) == set()


@pytest.mark.wheel
def test_prediction_maps_no_solver() -> None:
    script = (
        "import roofcast as rc\n"
        "step = rc.predict_decode(rc.load_llm('llama-3.1-8b'), rc.load_cluster('h100-sxm:1'),\n"
        "                         context=1024)\n"
        "step.to_json(), str(step), step._repr_html_()"
    )
    assert heavy(mapped(script)) == set()


def test_solvers_would_be_seen() -> None:
    assert heavy({"libceres.so.3", "libopenblas.so.0", "liblapack.so.3", "libc.so.6"}) == {
        "libceres.so.3",
        "libopenblas.so.0",
        "liblapack.so.3",
    }
    if heavy(mapped("import numpy")) == set():
        pytest.skip("this NumPy links no BLAS under a known name")


@pytest.mark.wheel
def test_import_brings_no_optional_package() -> None:
    script = "import sys, roofcast; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True)
    modules = {name.split(".")[0] for name in run.stdout.split()}
    assert modules.isdisjoint({"numpy", "pandas", "matplotlib", "IPython", "typing_extensions"})


@pytest.mark.wheel
def test_command_loads_no_solver(command: str) -> None:
    environment = {**os.environ, "LD_DEBUG": "files"}
    run = subprocess.run(
        [command, *DECODE.split()], capture_output=True, check=True, text=True, env=environment
    )
    loaded = set(re.findall(r"calling init: (\S+)", run.stderr))
    assert loaded, run.stderr[:1000]
    assert heavy({os.path.basename(path) for path in loaded}) == set()
