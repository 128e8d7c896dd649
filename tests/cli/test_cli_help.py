# SPDX-License-Identifier: Apache-2.0
"""Help texts, --version and the verbs that another program answers."""

import re

import pytest

VERBS = [
    "predict train",
    "predict prefill",
    "predict decode",
    "memory",
    "memory train",
    "validate",
    "list",
    "show",
    "lint",
]


@pytest.mark.parametrize("verb", VERBS)
def test_help_is_the_same_however_it_is_asked_for(roofcast, verb: str) -> None:
    shown = roofcast.text("help", *verb.split())
    assert roofcast.text(*verb.split(), "--help") == shown == roofcast.text(*verb.split(), "-h")


@pytest.mark.parametrize("verb", VERBS)
def test_help_explains_every_flag_and_gives_an_example(roofcast, verb: str) -> None:
    shown = roofcast.text("help", *verb.split())
    assert f"Usage: roofcast {verb}" in shown
    flags = re.findall(r"^  (--[a-z-]+)(?: [^ ]+)?  +(.*)$", shown, re.MULTILINE)
    assert {"--json", "--csv", "--output", "--quiet", "--help"} <= {flag for flag, _ in flags}
    assert all(text for _, text in flags)
    assert re.search(rf"^Examples:\n  roofcast {verb}", shown, re.MULTILINE)
    assert [line for line in shown.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("verb", VERBS)
def test_the_examples_work(roofcast, verb: str) -> None:
    text = roofcast.text("help", *verb.split()).split("Examples:\n")[1].replace("\\\n", "")
    for line in text.strip().splitlines():
        words = line.split()
        if "my_gpu.yaml" not in line and "measured.csv" not in line:
            assert roofcast(*words[1:]).returncode == 0, line


@pytest.mark.parametrize(
    ("verb", "unit"),
    [
        ("predict train", "--sequence N +tokens"),
        ("predict train", "--global-batch N +sequences"),
        ("predict prefill", "--input N +tokens"),
        ("predict decode", "--context N +tokens"),
        ("memory", "--max-length N +tokens"),
    ],
)
def test_help_says_the_unit(roofcast, verb: str, unit: str) -> None:
    assert re.search(unit, roofcast.text("help", *verb.split()))


def test_help_names_every_flops_convention(roofcast) -> None:
    known = roofcast.refusal(*"predict train --model llama-3.1-8b --cluster h100-sxm:8 --global-batch 8".split(),
                             *"--sequence 64 --flops-convention ?".split())  # fmt: skip
    shown = roofcast.text("help", "predict", "train")
    for convention in known.split("; use ")[1].replace(" or ", ", ").split(", "):
        assert convention in shown


def test_help_of_a_family_is_all_of_it(roofcast) -> None:
    shown = roofcast.text("predict", "--help")
    assert [verb for verb in VERBS if f"Usage: roofcast {verb} " in shown] == VERBS[:3]


@pytest.mark.parametrize("words", [[], ["help"], ["--help"], ["-h"]])
def test_the_overview_lists_the_verbs(roofcast, words: list[str]) -> None:
    shown = roofcast.text(*words)
    assert all(re.search(rf"^  {verb}  ", shown, re.MULTILINE) for verb in VERBS)


def test_version_names_catalog_and_fits(roofcast, decode) -> None:
    shown = roofcast.text("--version")
    step = roofcast.json(*decode)
    assert shown == f"roofcast {step['version']}\ncatalog {step['catalog_hash']}\nfits    {step['fits_hash']}\n"


def test_calibrate_is_started_when_it_lies_beside(roofcast, tmp_path_factory) -> None:
    place = tmp_path_factory.mktemp("bin")
    copy = place / "roofcast"
    copy.write_bytes(roofcast.program.read_bytes())
    copy.chmod(0o755)
    roofcast.program = copy
    assert roofcast.refusal("calibrate", "data.csv", status=1) == (
        "roofcast calibrate: needs the program roofcast-calibrate beside roofcast, which is not there; build it with"
        " 'cmake --preset release -DROOFCAST_CALIBRATION=ON && cmake --build build/release'"
    )
    beside = place / "roofcast-calibrate"
    beside.write_text('#!/bin/sh\necho "got $*"\nexit 7\n')
    beside.chmod(0o755)
    done = roofcast("calibrate", "data.csv", "--json")
    assert (done.returncode, done.stdout) == (7, "got calibrate data.csv --json\n")
