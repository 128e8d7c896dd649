# SPDX-License-Identifier: Apache-2.0
"""README states the errors of docs/accuracy.json, and no others."""

import importlib.util
import json

import pytest
from repository import ROOT

SPEC = importlib.util.spec_from_file_location("accuracy", ROOT / "docs/accuracy.py")
accuracy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(accuracy)

SETS = json.loads(accuracy.FILE.read_text())["sets"]


def test_readme_states_what_was_measured() -> None:
    text = accuracy.README.read_text()
    assert accuracy.readme_with(accuracy.readme_rows(SETS), text) == text, "run docs/accuracy.py"


def test_another_figure_would_be_found() -> None:
    changed = json.loads(json.dumps(SETS))
    changed[0]["in_sample"]["median"] += 1
    text = accuracy.README.read_text()
    assert accuracy.readme_with(accuracy.readme_rows(changed), text) != text


@pytest.mark.parametrize("one", SETS, ids=lambda one: one["name"])
def test_figures_stand_for_their_rows(one: dict) -> None:
    assert one["rows"] > 0
    assert 20 * one["refused"] <= one["rows"] + one["refused"]
    assert one["in_sample"].keys() == one["cross_validated"].keys()
