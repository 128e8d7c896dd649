# SPDX-License-Identifier: Apache-2.0
"""Columns of the tables that calibration and validation read, by family.

`latency_us` is in microseconds, `bytes` and `bytes_rw` in bytes, sizes are counts. `file` and
`row` say where a row came from: the line of a text, the row of a Parquet file, from 1. `repeats`
is how many invocations of a trace a row stands for.
"""

_RUN = ["gpu", "source", "framework", "version"]
_GEMM = [*_RUN, "kernel", "dtype"]
_ATTENTION = [*_RUN, "kernel", "phase", "dtype", "kv_dtype", "batch", "q_len", "kv_len"]
_VIDUR = ["gpu", "source", "model", "op", "dtype", "num_tokens", "tp", "n_embd", "n_expanded"]
_VIDUR += ["n_head", "n_kv_head", "gemm_m", "gemm_n", "gemm_k", "latency_us", "latency_us_min"]

_ATTENTION_SHAPE = [*_ATTENTION, "heads", "kv_heads", "head_dim", "window", "latency_us"]

SCHEMAS: dict[str, list[str]] = {
    "gemm": [*_GEMM, "m", "n", "k", "latency_us"],
    "batched_gemm": [*_GEMM, "batch", "m", "n", "k", "latency_us"],
    "attention_prefill": _ATTENTION_SHAPE,
    "attention_decode": _ATTENTION_SHAPE,
    "attention_encoder": _ATTENTION_SHAPE,
    "mla": [*_ATTENTION, "heads", "tp", "latency_us"],
    "moe": [*_GEMM, "num_tokens", "hidden", "inter", "topk", "num_experts"]
    + ["moe_tp", "moe_ep", "distribution", "latency_us"],
    "elementwise": [*_RUN, "op", "dtype", "rows", "cols", "bytes_rw", "latency_us"],
    "collectives": [*_RUN, "impl", "op", "dtype", "num_gpus", "nodes", "interconnect"]
    + ["bytes", "latency_us"],
    "ep_all2all": ["gpu", "source", "impl", "version", "op", "nodes", "num_gpus", "hidden"]
    + ["tokens", "topk", "num_experts", "sms", "latency_us"],
    "vidur_gemm": _VIDUR,
    "vidur_elementwise": _VIDUR,
}

# Kernels whose shape a profile doesn't have: nothing is fitted to them.
KERNELS = ["gpu", "source", "family", "name", "grid", "instances", "total_us", "average_us"]
KERNELS += ["median_us", "file", "row"]

# Columns of whole numbers; an empty cell is unknown.
WHOLE = {"m", "n", "k", "batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim", "window"}
WHOLE |= {"tp", "num_tokens", "hidden", "inter", "topk", "num_experts", "moe_tp", "moe_ep"}
WHOLE |= {"rows", "cols", "bytes_rw", "num_gpus", "nodes", "bytes", "tokens", "sms", "n_embd"}
WHOLE |= {"n_expanded", "n_head", "n_kv_head", "gemm_m", "gemm_n", "gemm_k", "row", "repeats"}


def file_name(gpu: str, family: str) -> str:
    """Name of the table of a GPU and a family, as in `h100_sxm__gemm.csv`."""
    gpu = "".join(c if c.isalnum() else "_" for c in gpu.lower()).strip("_") or "unknown"
    if family.startswith("vidur_"):
        return f"{gpu}_vidur__{family.removeprefix('vidur_')}.csv"
    return f"{gpu}__{family}.csv"
