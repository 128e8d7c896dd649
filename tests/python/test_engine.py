# SPDX-License-Identifier: Apache-2.0
"""rc.memory with a serving engine's rule."""

import pytest

import roofcast as rc


@pytest.fixture(scope="module")
def llm() -> rc.Llm:
    return rc.load_llm("llama-3.1-8b")


def test_an_engine_sizes_the_cache_by_its_rule(llm: rc.Llm) -> None:
    # Measured by vLLM 0.19: 41,408 tokens.
    cluster = rc.load_cluster("rtx-4090:1")
    memory = rc.memory(llm, cluster, max_length=16384, engine="vllm", engine_version="0.19")
    assert memory.kv_tokens == pytest.approx(41408, rel=0.06)
    assert memory.kv_pool_bytes == memory.kv_tokens * memory.kv_bytes_per_token
    less = rc.memory(llm, cluster, max_length=4096, engine="vllm", memory_fraction=0.8)
    assert less.kv_tokens < memory.kv_tokens
    assert memory.to_dict()["kv"]["engine"]["name"] == "vllm-v1"


def test_policies_are_named_and_chosen() -> None:
    llm, cluster = rc.load_llm("gpt-oss-20b"), rc.load_cluster("h100-sxm:1")
    window = rc.memory(llm, cluster, max_length=8192)
    full = rc.memory(llm, cluster, max_length=8192, kv_policy="full")
    assert (window.kv_policy, full.kv_policy) == ("window", "full")
    assert full.kv_bytes_per_request * 32 == 12 * 2**30
    assert window.kv_bytes_per_request * 32 == 6.09375 * 2**30
    assert window.kv_fixed_bytes_per_request > 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"engine": "nobody"},
        {"engine_version": "0.19"},
        {"memory_fraction": 0.9},
        {"engine": "vllm", "memory_fraction": "0.9"},
        {"engine": "vllm", "memory_fraction": float("nan")},
        {"engine": "vllm", "memory_fraction": True},
        {"engine": "vllm", "max_sequences": 0},
        {"engine": "vllm", "block_size": 1.5},
        {"engine": "vllm", "engine_version": "newest"},
        {"kv_policy": "paged"},
    ],
)
def test_what_is_no_engine_is_refused(llm: rc.Llm, wrong: dict) -> None:
    with pytest.raises(rc.Error):
        rc.memory(llm, rc.load_cluster("h100-sxm:1"), max_length=4096, **wrong)
