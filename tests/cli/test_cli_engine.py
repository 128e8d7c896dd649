# SPDX-License-Identifier: Apache-2.0
"""The KV cache that serving engines set up, and their start logs beside the prediction."""

import pytest
from test_cli_json import check, leaves

MEMORY = "memory --model llama-3.1-8b --cluster h100-sxm:1 --max-length 16000".split()
ENGINE = [*MEMORY, "--engine", "vllm"]

# Figures of one start that llm-d published; the lines are as vLLM writes them.
LOG = """\
\x1b[36m(EngineCore pid=7)\x1b[0m INFO [core.py:114] Initializing a V1 LLM engine (v0.19.0) with config: \
model='meta-llama/Llama-3.1-8B-Instruct', max_seq_len=16000, tensor_parallel_size=1, pipeline_parallel_size=1,
INFO Free memory on device (78.57/79.18 GiB) on startup. Desired GPU memory utilization is (0.9, 71.26 GiB). \
Actual usage is 14.99 GiB for weight, 4.76 GiB for peak activation, 0.13 GiB for non-torch memory, and 0.45 GiB \
for CUDAGraph memory.
INFO Available KV cache memory: 51.38 GiB
INFO GPU KV cache size: 420,896 tokens
INFO Maximum concurrency for 16,000 tokens per request: 26.31x
"""


def test_an_engine_shows_its_budget_line_by_line(roofcast) -> None:
    shown = roofcast.text(*ENGINE)
    for line in ("kept by the driver", "weights", "activation peak", "context", "libraries and collectives", "graphs"):
        assert f"\n  {line} " in shown
    document = roofcast.json(*ENGINE)
    check(document)
    assert sum(leaf["bytes"] for leaf in leaves(document["bytes"])) == pytest.approx(document["capacity_bytes"])
    kv = document["kv"]
    assert kv["engine"]["memory_fraction"] == 0.9
    assert kv["tokens"] == kv["engine"]["blocks"] * kv["block_size"]
    assert kv["concurrency"] == int(kv["sequences_of_length"])


def test_without_an_engine_all_free_memory_is_said_to_be_cache(roofcast) -> None:
    document = roofcast.json(*MEMORY)
    check(document)
    assert document["kv"]["engine"] is None
    assert document["assumptions"]["engine"].startswith("none: all memory")


def test_figures_of_the_engine_are_named_among_the_sources(roofcast) -> None:
    names = {source["name"] for source in roofcast.json(*ENGINE)["sources"]}
    assert "vllm-v1 admission.bytes_per_logit" in names
    assert not any(name.endswith("memory.runtime") for name in names)


def test_both_policies_are_named_where_they_differ(roofcast) -> None:
    words = "memory --model gpt-oss-20b --cluster h100-sxm:1 --max-length 8192".split()
    kv = roofcast.json(*words)["kv"]
    assert 32 * kv["by_policy"]["full"] == 12 * 2**30
    assert 32 * kv["by_policy"]["window"] == 6.09375 * 2**30
    assert kv["policy"] == "window"
    full = roofcast.json(*words, "--kv-policy", "full")["kv"]
    assert full["bytes_per_request"] == kv["by_policy"]["full"]
    assert "384 MiB full" in roofcast.text(*words)


def test_the_form_of_latents_is_asked_for_and_named(roofcast) -> None:
    words = "memory --model deepseek-v3 --cluster h200-sxm:8 --tp 8 --max-length 65536".split()
    by_policy = roofcast.json(*words)["kv"]["by_policy"]
    assert by_policy["absorbed"] == 61 * 576 * 2 * 65536
    assert by_policy["expanded"] * 8 == 305 * 2**30
    assert roofcast.json(*words, "--kv-policy", "expanded")["kv"]["latent_form"] == "expanded"


def test_limits_of_the_engine_can_be_swept(roofcast) -> None:
    rows = roofcast.json(*ENGINE, "--max-sequences", "64,1024", "--gpu-memory-utilization", "0.8")["rows"]
    tokens = [row["kv"]["tokens"] for row in rows]
    assert tokens[0] > tokens[1]
    assert rows[0]["kv"]["engine"]["max_sequences"] == 64


def test_an_engine_of_the_user_is_found_shown_and_linted(roofcast) -> None:
    place = roofcast.folder / "roofcast/engines/mine.yaml"
    place.parent.mkdir(parents=True)
    ours = roofcast.json("show", "vllm-v1")["file"]
    assert ours == "models/engines/vllm_v1.yaml"
    place.write_text("name: mine\ntitle: Mine\nadmission: {fraction_of: total}\n")
    assert "admission" in roofcast.refusal("show", "mine")
    assert roofcast("lint", str(place)).returncode == 2
    assert {"mine", "vllm-v1"} <= {row["name"] for row in roofcast.json("list", "engines")["engines"]}
    check(roofcast.json("list", "engines"))
    check(roofcast.json("show", "sglang"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--engine vlm", "engine: no engine 'vlm'; did you mean 'vllm'?"),
        ("--engine-version 0.19", "--engine-version: of which engine? add --engine, as --engine vllm"),
        ("--memory-fraction 0.9", "engine: memory fraction, batched tokens and sequences are an engine's; name one"),
        ("--engine vllm --memory-fraction 1.5", "memory-fraction: out of range; use a number above 0, up to 1"),
        ("--engine vllm --memory-fraction x", "--memory-fraction: 'x' is no number; write one above 0, up to 1"),
        ("--engine vllm --block-size 0", "block-size: out of range; use a whole number from 1 to 100000000"),
        ("--engine-log none.log", "none.log: "),
    ],
)
def test_what_is_wrong_with_an_engine_is_said(roofcast, words: str, message: str) -> None:
    assert roofcast.refusal(*MEMORY, *words.split()).startswith(f"roofcast memory: {message}")


def log_beside(roofcast, text: str, *words: str) -> dict:
    (roofcast.folder / "start.log").write_text(text)
    document = roofcast.json("memory", "--cluster", "h100-sxm:1", "--engine-log", "start.log", *words)
    check(document)
    return document


def test_a_log_names_what_the_flags_leave_open(roofcast) -> None:
    document = log_beside(roofcast, LOG)
    assert (document["model"], document["plan"]) == ("llama-3.1-8b", "tp1")
    assert document["kv"]["engine"]["name"] == "vllm-v1"
    assert document["kv"]["length"] == 16000
    rows = {row["name"]: row for row in document["engine_log"]["rows"]}
    for name in ("weights", "activation peak", "KV cache", "KV tokens", "concurrency", "KV bytes a token"):
        assert abs(rows[name]["difference"]) < 0.01, name
    assert rows["KV tokens"]["logged"] == 420896
    shown = roofcast.text("memory", "--cluster", "h100-sxm:1", "--engine-log", "start.log")
    assert "\nKV tokens " in shown
    assert "\x1b" not in shown


def test_a_log_that_names_no_known_model_needs_the_flag(roofcast) -> None:
    (roofcast.folder / "start.log").write_text(LOG.replace("Llama-3.1-8B-Instruct", "../../etc/passwd"))
    words = ["memory", "--cluster", "h100-sxm:1", "--engine-log", "start.log"]
    assert roofcast.refusal(*words).startswith("roofcast memory: --model: is missing, and the log names")
    assert roofcast.json(*words, "--model", "llama-3.1-8b")["engine_log"]["rows"]
    two = LOG + LOG.replace("Llama-3.1-8B", "Llama-3.2-1B")
    (roofcast.folder / "start.log").write_text(two)
    assert "the log names none" in roofcast.refusal(*words)


def test_no_log_breaks_the_command(roofcast) -> None:
    path = roofcast.folder / "start.log"
    for content in (b"", bytes(range(256)) * 50, b"\xff\xfe" * 1000, b"\x1b[" * 100_000):
        path.write_bytes(content)
        refused = roofcast.refusal(*MEMORY, "--engine-log", "start.log")
        assert refused.startswith("roofcast memory: ")
    path.write_bytes(b"\xff\xfe" + LOG.encode("utf-16-le"))  # as PowerShell redirects
    assert roofcast.json(*MEMORY, "--engine-log", "start.log")["engine_log"]["model"].startswith("meta-llama")
    path.write_bytes(b"x" * 1_000_000 + b"\n" + LOG.encode() + b"\nAvailable KV cache memory: " + b"9" * 100_000)
    assert roofcast.json(*MEMORY, "--engine-log", "start.log")["engine_log"]["product"] == "vllm"


def test_a_log_is_beside_one_prediction(roofcast) -> None:
    (roofcast.folder / "start.log").write_text(LOG)
    assert "single numbers" in roofcast.refusal(*MEMORY, "--engine-log", "start.log", "--batch", "1,2")
    assert "--json" in roofcast.refusal(*MEMORY, "--engine-log", "start.log", "--csv")
    before = (roofcast.folder / "start.log").read_text()
    roofcast.refusal(*MEMORY, "--engine-log", "start.log", "--output", "start.log")
    assert (roofcast.folder / "start.log").read_text() == before
