# SPDX-License-Identifier: Apache-2.0
"""Published cases that tools of this kind got wrong: which test holds each, or why none can.

Cases of memory, FLOPs and misleading inputs, with the figures in the tests named here. Those of
collectives, step times and serving come with what they are about.
"""

import csv
import re
from pathlib import Path

import pytest

import roofcast as rc
from tests.python.repository import ROOT

CASES = ROOT.parent / "shared/data/cases/public_cases.csv"
KINDS = {"memory", "flops", "input-error"}

# Case -> names of the tests that hold its figures.
HELD = {
    "kv-01": ["Llama-2-70B reads 1,342,177,280 bytes for 4096 tokens, 327,680 a token"],
    "kv-02": ["Llama-2-7B caches 524,288 bytes a token, Qwen3-4B 147,456"],
    "kv-04": ["gpt-oss-20b takes 12 GiB by full reservation and 6.09375 GiB by windows"],
    "kv-06": ["Llama-2-7B caches 524,288 bytes a token, Qwen3-4B 147,456"],
    "kv-08": ["keys and values by hidden / heads would be 24.89 times DeepSeek-V3.2's latents"],
    "kv-10": ["DeepSeek-V3 takes 4.289 GiB absorbed and 305 GiB expanded at 65,536 tokens"],
    "kv-11": ["Qwen3-235B-A22B on four ranks: 8.234 GiB of keys and of values for 367,404 tokens"],
    "kv-12": ["Llama-3.1-8B on an RTX 4090 with vLLM 0.19 gets 41,408 KV tokens within 6 %"],
    "kv-14": ["memory / tokens of a hybrid model is no constant, fixed + slope is"],
    "kv-15": ["Kimi-K3 caches 27,648 bytes a token: 24 of its 93 layers"],
    "kv-16": ["Qwen3-Next caches 24,576 bytes a token, and a state for each sequence"],
    "w-01": ["checkpoint bytes equal the published sizes"],
    "w-02": ["nvfp4 stores nine sixteenths of a byte a weight, and two fp32 scales a matrix"],
    "w-03": ["checkpoint bytes equal the published sizes"],
    "w-05": [
        "MiniMax-M2 takes the bytes that its checkpoint has: its routers are in fp32",
        "MiniMax-M2 caches 24,964,497,408 bytes of 196,608 tokens in 8 bits",
    ],
    "w-06": [
        "parameter counts and KV bytes of the zoo equal the published ones to the digit",
        "tied and untied embeddings cost the same work",
    ],
    "w-08": ["parameter counts and KV bytes of the zoo equal the published ones to the digit"],
    "w-10": ["parameter counts and KV bytes of the zoo equal the published ones to the digit"],
    "w-12": ["83e9 bytes are 77.3 GiB and fit a card of 80 GiB"],
    "tm-03": ["flash attention has no scores, so selective recompute saves next to nothing"],
    "tm-04": ["logits of large vocabularies, by chunk and by rank"],
    "tm-05": ["logits of large vocabularies, by chunk and by rank"],
    "tm-06": ["copies of routed tokens are not divided by ep"],
    "f-01": ["Llama-2-7B's products and scores equal MaxText's to the last digit"],
    "f-02": ["long sequences of Llama-2-7B equal MaxText's with and without the causal mask"],
    "f-03": ["a token of Mixtral-8x7B works on its two experts, not on all eight"],
    "f-04": ["attention work of Qwen3-235B comes from its heads, not from its hidden size"],
    "f-05": ["gpt-oss-20b's windows and head size give Automodel's figure"],
    "f-06": ["tied and untied embeddings cost the same work"],
    "f-07": ["a packed batch's attention goes with the sum of squared lengths"],
    "e-03": ["test_glm_45_refuses_a_tp_that_its_kv_heads_do_not_allow"],
    "e-05": ["test_null_dims_of_a_pruned_model_come_from_its_blocks"],
    "e-06": ["test_windows_that_are_set_but_not_used_are_none"],
    # Of other kinds, held already.
    "tm-11": ["interleaved 1F1B runs (p - rank - 1) 2 + (v - 1) p forwards ahead"],
    "tm-12": ["9600 tokens/s of Llama-2-7B on an H100 are an MFU of 45.5 %, not 22.7"],
    "e-08": ["test_a_model_that_does_not_fit_is_a_result_that_names_memory"],
}
# Cases of those kinds that no test can hold, with the reason.
NOT_CHECKABLE: dict[str, str] = {}


def names_of_tests() -> set[str]:
    names: set[str] = set()
    for path in (ROOT / "tests").rglob("*_test.cpp"):
        for found in re.finditer(r'TEST_CASE\(\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', path.read_text()):
            names.add("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', found[1])).replace('\\"', '"'))
    for path in (ROOT / "tests").rglob("test_*.py"):
        names.update(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    return names


@pytest.mark.parametrize("case", HELD)
def test_a_case_is_held_by_tests_that_exist(case: str) -> None:
    missing = [name for name in HELD[case] if name not in names_of_tests()]
    assert not missing


def test_every_case_of_these_kinds_is_held_or_listed_with_a_reason() -> None:
    if not CASES.exists():
        pytest.skip("no list of public cases beside the repository")
    with CASES.open(newline="") as file:
        cases = {row["id"] for row in csv.DictReader(file) if row["kind"] in KINDS}
    assert cases - set(HELD) - set(NOT_CHECKABLE) == set()


def test_glm_45_refuses_a_tp_that_its_kv_heads_do_not_allow() -> None:
    # https://github.com/vllm-project/vllm/issues/31474: 96 query heads divide by 6, 8 KV heads don't.
    llm, cluster = rc.load_llm("glm-4.5"), rc.load_cluster("h200-sxm", devices=6)
    with pytest.raises(rc.ArgumentError, match="tp=6: neither divides 8 KV heads nor is a multiple of them"):
        rc.memory(llm, cluster, rc.Plan(tp=6), max_length=4096)


def test_null_dims_of_a_pruned_model_come_from_its_blocks() -> None:
    # nvidia/Llama-3_3-Nemotron-Super-49B-v1: num_key_value_heads and intermediate_size are null.
    llm = rc.load_llm("llama-3.3-nemotron-super-49b")
    layers = [llm.layer(i) for i in range(llm.layers)]
    assert llm.parameters.total == 49_867_145_216
    assert {layer.attention for layer in layers} == {"full", "none"}
    assert len({layer.ffn_width for layer in layers}) > 2


def test_windows_that_are_set_but_not_used_are_none() -> None:
    # Qwen2.5 sets sliding_window with use_sliding_window false; Mistral-7B v0.1 and Phi-3-mini slide
    # in every layer without any flag.
    def windows(name: str) -> set[tuple[str, int]]:
        llm = rc.load_llm(name)
        return {(llm.layer(i).attention, llm.layer(i).window) for i in range(llm.layers)}

    assert windows("qwen2.5-7b") == {("full", 0)}
    assert windows("mistral-7b") == {("sliding", 4096)}
    assert windows("phi-3-mini") == {("sliding", 2047)}


def test_a_model_that_does_not_fit_is_a_result_that_names_memory() -> None:
    # https://github.com/ai-dynamo/aiconfigurator/pull/509: 811.7 GB of weights on one 80 GB GPU.
    llm, cluster = rc.load_llm("llama-3.1-405b"), rc.load_cluster("h100-sxm", devices=1)
    step = rc.predict_decode(llm, cluster, rc.Plan(tp=1), batch=128, context=1024)
    assert not step.fits
    assert step.why and "does not fit" in step.why[0]
    weights = next(part for part in step.memory.ledger().children if part.name == "weights")
    assert weights.bytes == pytest.approx(811.7e9, rel=1e-3)
