# SPDX-License-Identifier: Apache-2.0
"""README states the errors of docs/accuracy.json, and no others."""

import importlib.util
import json

import pytest
from repository import ROOT

SPEC = importlib.util.spec_from_file_location("accuracy", ROOT / "docs/accuracy.py")
accuracy = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(accuracy)

DOCUMENT = json.loads(accuracy.FILE.read_text())
SETS, OPERATORS = DOCUMENT["sets"], DOCUMENT["operators"]


def test_readme_states_what_was_measured() -> None:
    text = accuracy.README.read_text()
    assert accuracy.readme_with(accuracy.readme_rows(SETS, OPERATORS), text) == text, "run docs/accuracy.py"


def test_another_figure_would_be_found() -> None:
    changed = json.loads(json.dumps(SETS))
    changed[0]["in_sample"]["median"] += 1
    text = accuracy.README.read_text()
    assert accuracy.readme_with(accuracy.readme_rows(changed, OPERATORS), text) != text
    changed = json.loads(json.dumps(OPERATORS))
    one = next(one for one in changed if one["name"] == "gemm h100-sxm")
    one["cross_validated"]["mape"] += 1
    assert accuracy.readme_with(accuracy.readme_rows(SETS, changed), text) != text


@pytest.mark.parametrize("one", SETS, ids=lambda one: one["name"])
def test_figures_stand_for_their_rows(one: dict) -> None:
    assert one["rows"] > 0
    assert 20 * one["refused"] <= one["rows"] + one["refused"]
    assert one["in_sample"].keys() == one["cross_validated"].keys()


FITTED = [one for one in OPERATORS if "cross_validated" in one and one["by"]["gpu"] != "pooled"]


@pytest.mark.parametrize("one", FITTED, ids=lambda one: one["name"])
def test_a_form_beats_the_roofline_with_two_efficiencies(one: dict) -> None:
    assert sum(series["rows"] for series in one["series"]) == one["rows"] > 0
    assert one["in_sample"]["mape"] <= one["analytical"]["mape"]
    assert one["cross_validated"]["mape"] <= one["analytical"]["mape"] + 0.01
    if one["rows"] >= 100:
        assert one["cross_validated"]["mape"] < one["baselines"]["roofline"]["mape"]


def test_every_fit_that_ships_is_accounted_for() -> None:
    shipped = {path.stem.replace("_", "-") for path in (ROOT / "hardware/fits").glob("*.yaml")}
    assert {one["by"]["gpu"] for one in FITTED} | {"assumed", "pooled"} == shipped
