# SPDX-License-Identifier: Apache-2.0
import os
import shutil
import sys
from pathlib import Path

import pytest

import roofcast as rc


@pytest.fixture(scope="session")
def command() -> str:
    """The `roofcast` command: $ROOFCAST_COMMAND, else the one beside this Python, else PATH's."""
    beside = Path(sys.executable).parent / "roofcast"
    found = os.environ.get("ROOFCAST_COMMAND") or (str(beside) if beside.exists() else None)
    found = found or shutil.which("roofcast")
    if found is None:
        pytest.skip("the roofcast command isn't built")
    return found


@pytest.fixture(scope="session")
def llama_8b() -> rc.Llm:
    return rc.load_llm("llama-3.1-8b")


@pytest.fixture(scope="session")
def llama_70b() -> rc.Llm:
    return rc.load_llm("llama-3.1-70b")


@pytest.fixture(scope="session")
def h100() -> rc.Cluster:
    return rc.load_cluster("h100-sxm", devices=1)


@pytest.fixture(scope="session")
def h100_node() -> rc.Cluster:
    return rc.load_cluster("h100-sxm", devices=8)
