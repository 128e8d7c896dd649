# SPDX-License-Identifier: Apache-2.0
"""What --json prints is what docs/schema/roofcast-1.json says, and its figures agree with each other."""

import json
import math
from pathlib import Path

import jsonschema
import pytest

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/roofcast-1.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

TRAIN = "predict train --model llama-3.1-70b --cluster h100-sxm:64 --tp 8 --pp 4 --global-batch 512 --sequence 8192"
STEPS = {
    "decode": "predict decode --model llama-3.1-8b --cluster h100-sxm:1 --batch 1 --context 1024",
    "not fitting": "predict decode --model llama-3.1-70b --cluster h100-sxm:1 --context 1024",
    "moe": "predict decode --model deepseek-v3 --cluster h200-sxm:8 --batch 8 --context 1024",
    "prefill": "predict prefill --model gemma-3-27b --cluster mi300x:8 --input 8192 --replicas 2",
    "train": TRAIN,
    "train zero": "predict train --model qwen3-8b --cluster a100-sxm:8 --dp 8 --zero 1 --recompute full"
    " --global-batch 16 --sequence 2048",
}
OTHERS = {
    "rows": "predict decode --model llama-3.1-70b --cluster h100-sxm:8 --tp 1..4 --context 1024",
    "memory": "memory --model llama-3.1-8b --cluster h100-sxm:1 --max-length 8192",
    "memory train": "memory train --model deepseek-v3 --cluster h100-sxm:256 --tp 2 --pp 8 --vpp 2 --ep 16 --zero 1"
    " --recompute selective --engine megatron-lm --global-batch 512 --sequence 4096",
    "memory train rows": "memory train --model llama-3.1-8b --cluster h100-sxm:8 --zero 0..3 --engine nanotron"
    " --global-batch 64 --sequence 4096",
    "memory rows": "memory --model llama-3.1-8b --cluster h100-sxm:2 --tp 1,2,3",
    "list": "list",
    "list devices": "list devices",
    "show device": "show h100-sxm",
    "show link": "show nvlink4",
    "show cluster": "show dgx-h100",
    "show model": "show deepseek-v3",
    "show coefficients": "show coefficients",
    "lint": "lint",
}


def check(document: dict) -> None:
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message}" for e in VALIDATOR.iter_errors(document)]
    assert errors == []


@pytest.mark.parametrize("case", STEPS | OTHERS)
def test_json_follows_the_schema(roofcast, case: str) -> None:
    check(roofcast.json(*(STEPS | OTHERS)[case].split()))


def test_schema_is_strict(roofcast, decode) -> None:
    document = roofcast.json(*decode)
    check(document)
    for change in ({"surprise": 1}, {"bound": "luck"}, {"time_s": -1}, {"interval": 3}):
        assert list(VALIDATOR.iter_errors(document | change)), change
    del document["time_s"]
    assert list(VALIDATOR.iter_errors(document))


def leaves(node: dict) -> list[dict]:
    return [leaf for child in node["children"] for leaf in leaves(child)] if node["children"] else [node]


def assert_sums(node: dict, amount: str) -> None:
    for child in node["children"]:
        assert_sums(child, amount)
    if node["children"]:
        total = math.fsum(child[amount] for child in node["children"])
        assert node[amount] == pytest.approx(total, rel=1e-9, abs=0), node["name"]


@pytest.mark.parametrize("case", STEPS)
def test_breakdowns_sum_to_their_parents(roofcast, case: str) -> None:
    step = roofcast.json(*STEPS[case].split())
    assert_sums(step["breakdown"], "time_s")
    assert_sums(step["memory"]["bytes"], "bytes")
    assert step["breakdown"]["time_s"] == step["time_s"]
    by_bound: dict[str, float] = {}
    for leaf in leaves(step["breakdown"]):
        by_bound[leaf["bound"]] = by_bound.get(leaf["bound"], 0) + leaf["time_s"]
    assert step["bound"] == max(by_bound, key=by_bound.__getitem__)


@pytest.mark.parametrize("case", STEPS)
def test_memory_verdict_follows_from_the_ledger(roofcast, case: str) -> None:
    step = roofcast.json(*STEPS[case].split())
    memory = step["memory"]
    assert memory["headroom_bytes"] == memory["capacity_bytes"] - memory["bytes"]["bytes"]
    assert step["fits"] == (memory["headroom_bytes"] >= 0) == (step["why"] == [])


def test_throughput_is_tokens_over_time(roofcast) -> None:
    step = roofcast.json(*TRAIN.split())
    assert step["tokens"] == 512 * 8192
    assert step["tokens_per_s"] == pytest.approx(step["tokens"] / step["time_s"], rel=1e-12)
    assert step["tokens_per_s_per_device"] == pytest.approx(step["tokens_per_s"] / 64, rel=1e-12)
    assert 0 < step["mfu"] < 1
    assert step["flops_convention"] == "6P+12Lhs"


def test_a_fitted_device_has_intervals_and_an_unfitted_family_says_so(roofcast, decode) -> None:
    step = roofcast.json(*decode)
    assert step["interval"]["level"] == 0.9
    assert 0 < step["interval"]["low_s"] < step["time_s"] < step["interval"]["high_s"]
    assert {"fitted", "assumed"} <= {source["kind"] for source in step["sources"]}

    def leaves(node):
        return [leaf for child in node["children"] for leaf in leaves(child)] or [node]

    for leaf in leaves(step["breakdown"]):
        assert leaf["interval"]["low_s"] <= leaf["time_s"] <= leaf["interval"]["high_s"]
    expected = [leaf.get("expected_error_percent") for leaf in leaves(step["breakdown"])]
    assert any(error and error < 12 for error in expected)
    assert roofcast.json(*decode, "--fits", "assumed")["interval"] is None


def test_modes_and_kernels_are_chosen_or_refused(roofcast, decode) -> None:
    usual, plain = roofcast.json(*decode), roofcast.json(*decode, "--mode", "analytical")
    assert "hybrid" in json.dumps(usual["breakdown"]) and "hybrid" not in json.dumps(plain["breakdown"])
    assert usual["time_s"] != plain["time_s"]
    assert roofcast.json(*decode, "--kernels", "sglang")["time_s"] != usual["time_s"]
    assert roofcast.refusal(*decode, "--kernels", "vlm").endswith(
        "--kernels: no kernels of 'vlm' were measured; use vllm, trtllm or sglang"
    )


def test_numbers_survive_a_round_trip(roofcast, decode) -> None:
    text = roofcast.text(*decode, "--json")
    time = roofcast.json(*decode)["time_s"]
    assert f'"time_s": {time!r}' in text


def test_memory_at_top_level_is_the_memory_of_a_step(roofcast) -> None:
    words = ("--model", "llama-3.1-8b", "--cluster", "h100-sxm:1")
    alone = roofcast.json("memory", *words, "--max-length", "1025")
    step = roofcast.json("predict", "decode", *words, "--context", "1024")
    assert alone["parameters"] == step["memory"]["parameters"]
    assert set(step["memory"]) <= set(alone)
    assert alone["kv"]["bytes_per_token"] == step["memory"]["kv"]["bytes_per_token"] == 2 * 32 * 8 * 128 * 2
    assert alone["parameters"]["total"] == 8030261248


def test_each_row_is_a_document_or_a_reason(roofcast) -> None:
    rows = roofcast.json(*OTHERS["rows"].split())["rows"]
    assert [row["inputs"]["tp"] for row in rows] == [1, 2, 3, 4]
    assert [("error" in row) for row in rows] == [False, False, True, False]
    assert rows[2]["error"].startswith("tp=3: does not divide 64 query heads")
    single = roofcast.json(*OTHERS["rows"].replace("1..4", "4").split())
    assert rows[3] == single


def test_a_fit_of_ones_own_is_named_by_its_hash(roofcast, decode) -> None:
    import hashlib

    text = (Path(__file__).parents[2] / "hardware/fits/assumed.yaml").read_bytes()
    (roofcast.folder / "mine.yaml").write_bytes(text.replace(b"name: assumed", b"name: mine"))
    mine = roofcast.json(*decode, "--fits", "./mine.yaml")
    usual = roofcast.json(*decode, "--fits", "assumed")
    assert mine["time_s"] == usual["time_s"]
    assert mine["fits_hash"] == hashlib.sha256((roofcast.folder / "mine.yaml").read_bytes()).hexdigest()
    assert mine["fits_hash"] != usual["fits_hash"]
    assert mine["catalog_hash"] == usual["catalog_hash"]


def test_show_derives_from_a_devices_figures(roofcast) -> None:
    derived = {row["name"]: row for row in roofcast.json("show", "h100-sxm")["derived"]}
    expected = {
        "ridge point bf16": (989.4 / 3.35, "FLOP/B"),
        "peak per watt bf16": (989.4e12 / 700, "FLOP/J"),
        "read all memory": (81559 * 2**20 / 3.35e12, "s"),
        "memory : nvlink": (3350 / 450, "1"),
        "memory : infiniband": (3350 / 50, "1"),
    }
    for name, (number, unit) in expected.items():
        assert derived[name]["number"] == pytest.approx(number)
        assert derived[name]["unit"] == unit
        assert "/" in derived[name]["how"]


def test_show_of_a_device_without_a_node_tells_of_no_network(roofcast, accelerator) -> None:
    accelerator.write_text(accelerator.read_text().replace("default_node: dgx-h100\n", ""))
    document = roofcast.json("show", "my_gpu.yaml")
    assert "default_node" not in {row["name"] for row in document["figures"]}
    assert [row["name"] for row in document["derived"]] == ["ridge point bf16", "read all memory"]
    words = "predict decode --model llama-3.1-8b --cluster my_gpu.yaml:8 --context 1024"
    refusal = roofcast.refusal(*words.split())
    assert "'my-gpu' names no node" in refusal
