# SPDX-License-Identifier: Apache-2.0
"""The stubs say what the extension has, and a typed program checks against them."""

import inspect
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

import roofcast as rc
from roofcast import _core

sys.path.insert(0, str(ROOT / "python/bindings"))
import generate_stubs  # noqa: E402

PROGRAM = '''\
import roofcast as rc


def slowest(step: rc.StepTime) -> str:
    leaves = [node for node in step.breakdown() if not node.children]
    return max(leaves, key=lambda node: node.time_s).name


llm: rc.Llm = rc.load_llm("llama-3.1-8b")
cluster: rc.Cluster = rc.load_cluster("h100-sxm", devices=8)
plan: rc.Plan = rc.Plan(tp=8).replace(replicas=1)
step: rc.StepTime = rc.predict_decode(llm, cluster, plan, batch=8, context=4096, kv="fp8")
seconds: float = step.time_s
fits: bool = step.fits
mfu: float | None = step.mfu
peak: float = cluster.device.peak_flops_per_s["bf16"]
bandwidth: float = cluster.device.memory.bandwidth_bytes_per_s
kinds: list[str] = [source.kind for source in step.sources()]
heads: int = llm.kinds[0].heads
try:
    room: int = rc.memory(llm, cluster, max_length=8192).kv_tokens
except rc.SpecError as error:
    places: list[str] = [problem.file for problem in error.problems]
'''


def test_stub_is_what_the_extension_has() -> None:
    assert generate_stubs.STUB.read_text() == generate_stubs.stub_text(_core), "run .ci/stubs"


def test_package_re_exports_only_what_stubs_have() -> None:
    stub = generate_stubs.STUB.read_text()
    for name in rc.__all__:
        if inspect.isfunction(getattr(rc, name)):  # written in Python
            continue
        assert f"class {name}" in stub or f"def {name}(" in stub or f"{name}: str" in stub


def check(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    mypy = shutil.which("mypy")
    if mypy is None:
        pytest.skip("mypy isn't installed")
    file = folder / "program.py"
    file.write_text(program)
    # From Debian's mypy, or another one, on the package's sources.
    environment = {**os.environ, "MYPYPATH": str(ROOT / "python")}
    arguments = [mypy, "--strict", "--python-version=3.10", "--follow-imports=silent"]
    arguments += ["--cache-dir", str(folder / "cache"), str(file)]
    return subprocess.run(
        arguments, env=environment, cwd=folder, capture_output=True, text=True, check=False
    )


def test_typed_program_passes_mypy(tmp_path: Path) -> None:
    run = check(PROGRAM, tmp_path)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    "line",
    [
        "rc.predict_decode(llm, cluster, plan, 8, 4096)",
        "rc.predict_decode(llm, cluster, plan, context='4096')",
        "rc.Plan(8)",
        "plan.tp = 4",
        "text: str = step.time_s",
        "step.tiem_s",
    ],
)
def test_mypy_finds_wrong_use(line: str, tmp_path: Path) -> None:
    run = check(PROGRAM + line + "\n", tmp_path)
    assert run.returncode == 1, run.stdout + run.stderr
    assert run.stdout.count("error:") == 1
    assert f"program.py:{len(PROGRAM.splitlines()) + 1}: error:" in run.stdout


def test_program_runs() -> None:
    exec(compile(PROGRAM, "program", "exec"), {})
