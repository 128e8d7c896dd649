# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Command:
    """The `roofcast` command, run in a folder of its own with nothing of the user's on its search path."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("ROOFCAST_", "HF_", "HUGGINGFACE_", "XDG_"))
        }
        self.environment["HOME"] = str(folder)

    def __call__(self, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *words],
            cwd=self.folder,
            env=self.environment | settings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def text(self, *words: str, **settings: str) -> str:
        """What stands on stdout of a call that must succeed."""
        done = self(*words, **settings)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def json(self, *words: str, **settings: str) -> dict:
        return json.loads(self.text(*words, "--json", **settings))

    def refusal(self, *words: str, status: int = 2, **settings: str) -> str:
        """What stands on stderr of a call that must fail without an answer."""
        done = self(*words, **settings)
        assert (done.returncode, done.stdout) == (status, "")
        return done.stderr.removesuffix("\n")


@pytest.fixture
def roofcast(tmp_path: Path) -> Command:
    program = Path(os.environ.get("ROOFCAST_BINARY", ROOT / "build/release/bin/roofcast"))
    assert program.exists(), f"{program} isn't there: run make build, or set ROOFCAST_BINARY"
    return Command(program.resolve(), tmp_path)


# One prediction that most tests vary.
DECODE = ("predict", "decode", "--model", "llama-3.1-8b", "--cluster", "h100-sxm:1", "--context", "1024")


@pytest.fixture
def decode() -> tuple[str, ...]:
    return DECODE


@pytest.fixture
def accelerator(roofcast: Command) -> Path:
    """A user's accelerator: my_gpu.yaml in the working folder."""
    path = roofcast.folder / "my_gpu.yaml"
    path.write_text("""\
name: my-gpu
title: My GPU
vendor: Me
architecture: mine
kind: gpu
default_node: dgx-h100
references: {my-notes: {title: What I measured, kind: measured}}
from: my-notes
launch_year: 2024
compute_units: 100
memory:
  capacity: 96 GB
  technology: HBM3
  bandwidth: 4 TB/s
peak: {bf16: 500 TFLOP/s}
vector_peak: {fp32: 50 TFLOP/s}
""")
    return path
