# SPDX-License-Identifier: Apache-2.0
"""Lists and ranges on numeric flags: one row for each combination."""

import csv
import io

import pytest


def batches(roofcast, decode, text: str) -> list[int]:
    rows = csv.DictReader(io.StringIO(roofcast.text(*decode, "--batch", text, "--csv")))
    return [int(row["batch"]) for row in rows]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("8", [8]),
        ("1,2,4,8", [1, 2, 4, 8]),
        ("1..8", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("1..256*2", [1, 2, 4, 8, 16, 32, 64, 128, 256]),
        ("1..300*2", [1, 2, 4, 8, 16, 32, 64, 128, 256]),
        ("20..100+20", [20, 40, 60, 80, 100]),
        ("20..99+20", [20, 40, 60, 80]),
        ("3..3", [3]),
        ("1,4..6,32..64*2", [1, 4, 5, 6, 32, 64]),
    ],
)
def test_ranges_are_what_they_say(roofcast, decode, text: str, values: list[int]) -> None:
    assert batches(roofcast, decode, text) == values


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("5..1", "'5..1' runs backwards; write the smaller number first"),
        ("1..8*1", "'1..8*1' never ends; start at 1 or more and multiply by 2 or more"),
        ("0..8*2", "'0..8*2' never ends; start at 1 or more and multiply by 2 or more"),
        ("1..8+0", "'1..8+0' never ends; step by 1 or more"),
        ("1..100001", "'1..100001' has more than 100000 values; take larger steps"),
        ("1..9000000000000000000", "'9000000000000000000' is too large; use at most 1000000000000"),
        (
            "1...8",
            "'.8' is not a whole number; write one (8), a list (1,2,4) or a range (1..8, 0..100+20, 1..256*2)",
        ),
        (
            "1,,2",
            "'' is not a whole number; write one (8), a list (1,2,4) or a range (1..8, 0..100+20, 1..256*2)",
        ),
    ],
)
def test_a_bad_range_is_refused(roofcast, decode, text: str, complaint: str) -> None:
    assert roofcast.refusal(*decode, "--batch", text) == f"roofcast predict decode: --batch: {complaint}"


def test_too_many_combinations_are_refused(roofcast, decode) -> None:
    words = [word for word in decode if word != "1024"]
    assert roofcast.refusal(*words, "1..1000", "--batch", "1..101") == (
        "roofcast predict decode: --batch: makes more than 100000 rows with the other flags; ask for fewer"
    )


def test_all_combinations_the_last_flag_fastest(roofcast) -> None:
    rows = csv.DictReader(
        io.StringIO(
            roofcast.text(
                *"predict train --model llama-3.1-8b --cluster h100-sxm:8 --micro-batch 1,2 --zero 0,1".split(),
                *"--global-batch 64 --sequence 1024,2048 --csv".split(),
            )
        )
    )
    seen = [(int(row["sequence"]), int(row["micro_batch"]), int(row["zero"])) for row in rows]
    assert seen == [(s, m, z) for s in (1024, 2048) for m in (1, 2) for z in (0, 1)]


def test_an_impossible_combination_is_a_row_with_its_reason(roofcast) -> None:
    words = "predict decode --model llama-3.1-8b --cluster h100-sxm:4 --tp 2,3 --context 1024".split()
    table = roofcast.text(*words).splitlines()
    reason = "tp=3: does not divide 32 query heads of llama-3.1-8b; use 1, 2, 4, 8, 16 or 32"
    assert [line for line in table if line.endswith(reason)] and "why not" in table[2]
    rows = list(csv.DictReader(io.StringIO(roofcast.text(*words, "--csv"))))
    assert [(row["tp"], row["error"], row["time_s"] == "") for row in rows] == [("2", "", False), ("3", reason, True)]


def test_no_possible_row_is_bad_input(roofcast, decode) -> None:
    done = roofcast(*decode, "--tp", "3,5")
    assert done.returncode == 2
    assert done.stdout.count("does not divide 32 query heads") == 2


def test_rows_agree_with_single_predictions(roofcast, decode) -> None:
    rows = list(csv.DictReader(io.StringIO(roofcast.text(*decode, "--batch", "1..64*4", "--csv"))))
    for row in rows:
        assert float(row["time_s"]) == roofcast.json(*decode, "--batch", row["batch"])["time_s"]


def test_a_setting_without_a_degree_leaves_tp_to_the_library(roofcast) -> None:
    words = "predict train --model llama-3.1-8b --cluster h100-sxm:8 --global-batch 64 --sequence 4096".split()
    step = roofcast.json(*words, "--micro-batch", "2", "--zero", "1")
    assert step["degrees"]["micro_batch"] == 2 and step["degrees"]["zero"] == 1
    assert step["assumptions"]["plan"].startswith(step["plan"])
    given = roofcast.json(*words, "--micro-batch", "2", "--zero", "1", "--plan", step["plan"])
    assert given["time_s"] == step["time_s"] and "plan" not in given["assumptions"]
