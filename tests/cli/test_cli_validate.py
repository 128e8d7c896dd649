# SPDX-License-Identifier: Apache-2.0
"""roofcast validate: errors against tables made up here."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/roofcast-1.json").read_text())
COLUMNS = (
    "source,url,model,params,layers,hidden,heads,kv_heads,ffn,vocab,seq,gpu,num_gpus,tp,pp,vpp,cp,dp,ep,mbs,gbs,"
    "precision,recompute,zero,other,metric,value,unit"
).split(",")
SOURCE = "HuggingFace Ultra-Scale Playbook bench (made up)"
# 131072 x 2048 + 16 (4 x 2048^2 + 3 x 2048 x 8192 + 2 x 2048) + 2048 parameters, 18 bytes each, and 0.075 GiB.
LOGGED = 18 * 1_342_244_864 + 0.075 * 2**30

RUN = {
    "source": SOURCE,
    "model": "Llama-1.34G",
    "layers": 16,
    "hidden": 2048,
    "heads": 32,
    "kv_heads": 32,
    "ffn": 8192,
    "vocab": 131072,
    "seq": 4096,
    "gpu": "H100-80GB SXM",
    "num_gpus": 1,
    "tp": 1,
    "pp": 1,
    "dp": 1,
    "mbs": 1,
    "precision": "bf16",
    "zero": 0,
    "other": "GA=4; tied=True; job 14100001; after_pp_fix=True",
    "metric": "mem_allocated_per_gpu",
    "value": 20,
    "unit": "GB",
}


@pytest.fixture
def table(roofcast):
    def write(*rows: dict, name: str = "measured.csv") -> str:
        with (roofcast.folder / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="")
            writer.writeheader()
            writer.writerows(RUN | row for row in rows)
        return name

    return write


OOM = {"metric": "oom", "value": 1, "unit": "bool", "mbs": 64}
RESERVED = {"metric": "mem_reserved_per_gpu", "value": 40}
SPEED = {"metric": "tokens_per_sec_per_gpu", "value": 9000, "unit": "tokens/s/GPU"}


def total(document: dict, metric: str) -> dict:
    return next(group for group in document["totals"] if group["metric"] == metric)


def test_memory_is_held_against_what_was_logged(roofcast, table) -> None:
    document = roofcast.json("validate", table({}))
    memory = total(document, "memory")
    assert (memory["rows"], memory["refused"], memory["excluded"]) == (1, 0, {})
    assert memory["bias"] == pytest.approx(100 * (LOGGED / (20 * 2**30) - 1))
    assert memory["mape"] == memory["median"] == memory["p90"] == memory["worst"] == abs(memory["bias"])


def test_a_run_that_was_measured_fits_where_failures_are_listed(roofcast, table) -> None:
    alone = roofcast.json("validate", table({}, RESERVED))
    assert [group["metric"] for group in alone["totals"]] == ["memory"]
    fits = total(roofcast.json("validate", table({}, RESERVED, OOM)), "fits")
    assert (fits["rows"], fits["right"]) == (2, 100)
    assert fits["confusion"] == {"fits_as_fits": 1, "fits_as_oom": 0, "oom_as_fits": 0, "oom_as_oom": 1}
    assert fits["baselines"]["majority"]["right"] == 50
    assert fits["baselines"]["states_alone"]["right"] == 50


def test_reserved_memory_is_never_mixed_with_allocated(roofcast, table) -> None:
    document = roofcast.json("validate", table({}, RESERVED))
    assert total(document, "memory")["rows"] == 1
    by_regime = {group["name"]: group for group in document["groups"] if "regime" in group["by"]}
    assert {name: group["rows"] for name, group in by_regime.items()} == {"allocated": 1, "reserved": 1}
    by_source = [group for group in document["groups"] if list(group["by"]) == ["source"]]
    assert [(group["name"], group["rows"]) for group in by_source] == [(SOURCE, 1)]


def test_what_is_not_predicted_yet_is_refused_by_name(roofcast, table) -> None:
    document = roofcast.json("validate", table(SPEED, {"metric": "happiness"}))
    assert document["refused_rows"] == [
        {"row": 1, "reason": "not predicted yet: metric tokens_per_sec_per_gpu", "metric": "tokens_per_s"},
        {"row": 2, "reason": "unknown metric 'happiness'", "metric": None},
    ]
    assert total(document, "tokens_per_s")["refused"] == 1


def test_the_broken_build_is_excluded_from_times_alone(roofcast, table) -> None:
    broken = {"other": "GA=4; tied=True; job 13840000; after_pp_fix=False"}
    document = roofcast.json("validate", table(broken, SPEED | broken))
    assert total(document, "memory")["rows"] == 1
    speed = total(document, "tokens_per_s")
    assert (speed["rows"], speed["refused"], speed["excluded"]) == (0, 0, {"broken build": 1})


def test_a_missing_value_is_unknown_and_refused(roofcast, table) -> None:
    document = roofcast.json("validate", table({"hidden": ""}, {"source": "A paper"}, {"layers": ""}))
    assert [row["reason"] for row in document["refused_rows"]] == [
        "hidden: not recorded, and nothing implies it",
        "source: which framework ran, and what its figures mean, is not known of it",
    ]
    assert total(document, "memory")["excluded"] == {"without layers or parallel degrees": 1}


def test_metrics_are_chosen_by_name(roofcast, table) -> None:
    document = roofcast.json("validate", table({}, OOM, SPEED), "--metric", "memory")
    assert [group["metric"] for group in document["totals"]] == ["memory"]
    assert "use " in roofcast.refusal("validate", table({}), "--metric", "luck")
    assert "no row of the metrics asked for" in roofcast.refusal("validate", table({}), "--metric", "mfu")


def test_every_row_is_written_on_request(roofcast, table) -> None:
    name = table({}, RESERVED, OOM, SPEED)
    roofcast.text("validate", name, "--rows", "rows.csv", "--quiet")
    rows = list(csv.DictReader(io.StringIO((roofcast.folder / "rows.csv").read_text())))
    assert [(row["row"], row["metric"], row["status"]) for row in rows] == [
        ("1", "fits", "predicted"),
        ("1", "memory", "predicted"),
        ("2", "memory", "predicted"),
        ("3", "fits", "predicted"),
        ("4", "tokens_per_s", "refused"),
    ]
    assert float(rows[1]["predicted_bytes"]) == pytest.approx(LOGGED)
    assert float(rows[1]["measured_bytes"]) == 20 * 2**30
    assert (rows[3]["measured_fits"], rows[3]["predicted_fits"]) == ("out of memory", "out of memory")
    assert rows[0]["fold"] in set("01234")


def test_the_rows_go_to_a_file_of_their_own(roofcast, table) -> None:
    name = table({})
    before = (roofcast.folder / name).read_text()
    for words in (("--rows", name), ("--rows", "a", "--output", "a"), ("--rows", "")):
        assert "--rows" in roofcast.refusal("validate", name, *words)
    assert "is also an input" in roofcast.refusal("validate", name, "--output", name)
    assert (roofcast.folder / name).read_text() == before


def test_the_text_has_totals_groups_and_reasons(roofcast, table) -> None:
    name = table({}, OOM, SPEED)
    shown = roofcast.text("validate", name)
    assert shown.startswith("measured.csv: a table of training runs\n")
    for part in ("memory by source", "fits by gpu", "h100-sxm", "not predicted yet: metric", "* more than 5 % refused"):
        assert part in shown
    quiet = roofcast.text("validate", name, "--quiet")
    assert "by source" not in quiet and quiet in shown


def test_csv_has_a_line_for_each_group(roofcast, table) -> None:
    rows = list(csv.DictReader(io.StringIO(roofcast.text("validate", table({}, OOM), "--csv"))))
    assert {(row["metric"], row["by"]) for row in rows} >= {("memory", "total"), ("fits", "source")}
    assert all(float(row["right_percent"]) == 100 for row in rows if row["metric"] == "fits")


def test_json_follows_the_schema(roofcast, table) -> None:
    document = roofcast.json("validate", table({}, RESERVED, OOM, SPEED, {"metric": "x"}, {"layers": ""}))
    validator = jsonschema.Draft202012Validator(SCHEMA)
    assert [error.message for error in validator.iter_errors(document)] == []


def test_a_table_is_recognised_or_forced(roofcast) -> None:
    (roofcast.folder / "few.csv").write_text("source,model,metric,value\na,b,oom,1\n")
    assert "--as training reads it as one" in roofcast.refusal("validate", "few.csv")
    assert roofcast.json("validate", "few.csv", "--as", "training")["kind"] == "training"
    assert "use training" in roofcast.refusal("validate", "few.csv", "--as", "poems")


BROKEN = {
    "empty": b"",
    "binary": bytes(range(256)) * 100,
    "no rows": (",".join(COLUMNS) + "\n").encode(),
    "ragged": (",".join(COLUMNS) + "\na,b\n").encode(),
    "open quote": (",".join(COLUMNS) + '\n"a').encode(),
    "wide": b"," * 100_000,
    "long cell": (",".join(COLUMNS) + "\n" + "x" * 10**6).encode(),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_table_is_refused_with_its_place(roofcast, case: str) -> None:
    (roofcast.folder / "bad.csv").write_bytes(BROKEN[case])
    assert roofcast.refusal("validate", "bad.csv", "--as", "training").startswith("bad.csv")


HOSTILE = [
    {"pp": 10**9, "num_gpus": 10**9},
    {"tp": 10**18, "pp": 10**18, "num_gpus": 10**18},
    {"layers": 10**9},
    {"hidden": -2048},
    {"vocab": "inf"},
    {"mbs": "1e308"},
    {"seq": 10**9, "mbs": 10**9},
    {"value": "nan"},
    {"value": -1},
    {"value": "\N{PILE OF POO}"},
    {"unit": "parsec"},
    {"gpu": "/etc/passwd"},
    {"other": "GA=" * 1000},
    {"metric": "oom", "value": 3},
    {"tp": 32, "num_gpus": 32, "hidden": 2080, "heads": 65, "kv_heads": 65},
]


@pytest.mark.parametrize("row", HOSTILE, ids=str)
def test_a_hostile_row_is_answered(roofcast, table, row: dict) -> None:
    document = roofcast.json("validate", table(row))
    assert len(document["totals"]) >= 1


def test_no_table_is_refused(roofcast) -> None:
    assert "names no table" in roofcast.refusal("validate")
    assert "no such file" in roofcast.refusal("validate", "missing.csv")
