# SPDX-License-Identifier: Apache-2.0
"""Notebooks run from beginning to end on this Python, and are stored without outputs."""

import asyncio
import json
import sys
from pathlib import Path

import pytest
from repository import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
KERNEL = "roofcast-test"


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A kernel that is this interpreter, whatever kernels are installed on the machine."""
    folder = tmp_path / "kernels" / KERNEL
    folder.mkdir(parents=True)
    words = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    specification = {"argv": words, "display_name": KERNEL, "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(specification))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    monkeypatch.setenv("PYDEVD_DISABLE_FILE_VALIDATION", "1")  # a warning of frozen modules
    monkeypatch.setenv("MPLCONFIGDIR", str(tmp_path / "matplotlib"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return KERNEL


def test_there_are_notebooks() -> None:
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert cell.outputs == [] and cell.execution_count is None, cell.source


@pytest.mark.filterwarnings("default")  # of Jupyter's own packages
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path: Path, kernel: str, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    first = nbformat.v4.new_code_cell("import sys; print(sys.executable)")
    notebook.cells.insert(0, first)
    resources = {"metadata": {"path": str(tmp_path)}}
    client = nbclient.NotebookClient(
        notebook, kernel_name=kernel, timeout=300, resources=resources
    )
    asyncio.run(client.async_execute())  # unlike execute(), leaves no event loop open
    assert notebook.cells[0].outputs[0].text.strip() == sys.executable
    outputs = [output for cell in notebook.cells[1:] for output in cell.get("outputs", [])]
    warnings = [output.text for output in outputs if output.get("name") == "stderr"]
    assert warnings == []
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert any("text/html" in output.get("data", {}) for output in outputs)
