# SPDX-License-Identifier: Apache-2.0
"""docs/spec_reference.md and docs/formulas.md are what the code says now."""

import subprocess
import sys

from repository import ROOT


def test_generated_documents_are_current() -> None:
    script = ROOT / "docs/generate.py"
    run = subprocess.run(
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, "run docs/generate.py\n" + run.stdout + run.stderr


def test_reference_has_every_kind_of_file() -> None:
    text = (ROOT / "docs/spec_reference.md").read_text()
    for key in ("memory.bandwidth", "bandwidth_per_direction", "tiers[].link", "coefficients.gemm"):
        assert f"`{key}" in text
    assert "| `memory.bandwidth` | quantity | B/s | yes |" in text


def test_formulas_have_every_operator() -> None:
    text = (ROOT / "docs/formulas.md").read_text()
    listed = (ROOT / "models/kernels/op_list.h").read_text()
    operators = listed.split("using Ops = TypeList<")[1].split(">")[0].split(", ")
    for operator in [*operators, "Collective"]:
        assert f"### CostOf({operator})" in text
