# SPDX-License-Identifier: Apache-2.0
"""Profiles of vidur: mlp.csv, attention.csv, all_reduce.csv and send_recv.csv.

Times are in milliseconds, kernels only, rounded to a microsecond, and float16. Of each operation
there are `time_stats.OP.{min,max,mean,median,std}`; the median is taken. One row of mlp.csv has
every operation of a layer for some tokens on one of `num_tensor_parallel_workers` devices.
"""

import re
from collections.abc import Callable

import pandas

from roofcast.measurements.rows import Column, Rows

_STATISTIC = re.compile(r"time_stats\.(\w+)\.median")
_GEMMS = ["attn_pre_proj", "attn_post_proj", "mlp_up_proj", "mlp_down_proj"]
_COLLECTIVES = {name: name for name in ("all_reduce", "all_gather", "send_recv")}


def operations(columns: list[str]) -> list[str]:
    """What a table has the times of."""
    return [match[1] for name in columns if (match := _STATISTIC.fullmatch(name))]


def _gemm_shape(rows: Rows, op: str) -> dict[str, Column]:
    """m, n and k of one worker."""
    hidden, heads = rows.size("n_embd"), rows.size("n_head")
    width, workers = rows.size("n_expanded_embd"), rows.size("num_tensor_parallel_workers")
    if op == "attn_pre_proj":
        n, k = hidden // heads * (heads + 2 * rows.size("n_kv_head")), hidden
        n = rows.divided(n, workers, "qkv width")
    elif op == "attn_post_proj":
        n, k = hidden, rows.divided(hidden, workers, "n_embd")
    elif op == "mlp_up_proj":
        gated = rows.text("use_gated_mlp").str.lower()
        rows.reject(~gated.isin(["true", "false", "1", "0"]), "use_gated_mlp is not true or false")
        n, k = rows.divided(width * (1 + gated.isin(["true", "1"])), workers, "MLP width"), hidden
    else:
        n, k = hidden, rows.divided(width, workers, "n_expanded_embd")
    return {"gemm_m": rows.size("num_tokens"), "gemm_n": n, "gemm_k": k}


def _times(rows: Rows, op: str) -> dict[str, Column]:
    """A time that rounds to zero is below what was resolved: dropped as zero."""
    least = f"time_stats.{op}.min"
    return {
        "latency_us": rows.positive(f"time_stats.{op}.median") * 1e3,
        "latency_us_min": rows.number(least) * 1e3 if rows.has(least) else pandas.NA,
    }


def read(make_rows: Callable[[], Rows], columns: set[str], ops: list[str]) -> None:
    """One of the files."""
    if not {"collective", "is_prefill"} & columns:
        for op in ops:  # each drops rows of its own
            rows = make_rows()
            _layer(rows, op)
            rows.finish()
        return
    rows = make_rows()
    (_network if "collective" in columns else _attention)(rows)
    rows.finish()


def _layer(rows: Rows, op: str) -> None:
    """mlp.csv, one operation."""
    names = {"num_tokens": "num_tokens", "tp": "num_tensor_parallel_workers"}
    names |= {"n_embd": "n_embd", "n_expanded": "n_expanded_embd"}
    names |= {"n_head": "n_head", "n_kv_head": "n_kv_head"}
    columns: dict[str, object] = {name: rows.size(column) for name, column in names.items()}
    columns |= {"model": rows.text("model"), "op": op, "dtype": "fp16"} | _times(rows, op)
    if op in _GEMMS:
        rows.take("vidur_gemm", columns | _gemm_shape(rows, op))
    else:
        rows.take("vidur_elementwise", columns)


def _attention(rows: Rows) -> None:
    """attention.csv: prefill of one request, or one token of each of a batch, with a cache."""
    prefill = rows.text("is_prefill").str.lower()
    rows.reject(~prefill.isin(["true", "false"]), "is_prefill is not true or false")
    prefill = prefill == "true"
    heads, kv_heads = rows.size("n_q_head"), rows.size("n_kv_head")
    workers = rows.size("num_tensor_parallel_workers")
    queries = rows.size("prefill_chunk_size", least=0).where(prefill, 1)
    rows.reject(queries < 1, "prefill_chunk_size is zero in a prefill")
    time = rows.text("time_stats.attn_prefill.median").where(
        prefill, rows.text("time_stats.attn_decode.median")
    )
    rows.frame["median of its phase"] = time
    columns = {
        "kernel": rows.text("attention_backend").str.split(".").str[-1].str.lower(),
        "phase": prefill.map({True: "prefill", False: "decode"}),
        "dtype": "fp16",
        "kv_dtype": "fp16",
        "batch": rows.size("batch_size"),
        "q_len": queries,
        "kv_len": queries + rows.size("kv_cache_size", least=0),
        "heads": rows.divided(heads, workers, "n_q_head"),
        "kv_heads": rows.divided(kv_heads, workers, "n_kv_head"),
        "head_dim": rows.divided(rows.size("n_embd"), heads, "n_embd", "the heads"),
        "window": 0,
        "latency_us": rows.positive("median of its phase") * 1e3,
    }
    rows.take("attention_prefill", columns, prefill)
    rows.take("attention_decode", columns, ~prefill)


def _network(rows: Rows) -> None:
    """all_reduce.csv and send_recv.csv; `size` is in bytes."""
    op = rows.each(rows.text("collective"), _COLLECTIVES, "collective")
    # One of the two columns is that of the row's own collective.
    names = [f"time_stats.{name}.median" for name in _COLLECTIVES]
    time = pandas.Series("", index=rows.frame.index)
    for name, column in zip(_COLLECTIVES, names, strict=True):
        time = time.where(op != name, rows.text(column))
    rows.frame["median of its collective"] = time
    workers, each = rows.size("num_workers", least=2), rows.size("devices_per_node")
    columns = {
        "impl": "nccl_kineto_median",
        "framework": "torch.distributed",
        "op": op,
        "dtype": "fp16",
        "num_gpus": workers,
        "nodes": -(-workers // each),
        "bytes": rows.size("size"),
        "latency_us": rows.positive("median of its collective") * 1e3,
    }
    rows.take("collectives", columns)
