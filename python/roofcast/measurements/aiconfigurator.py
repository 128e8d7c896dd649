# SPDX-License-Identifier: Apache-2.0
"""Tables that aiconfigurator's collectors write: Parquet, or the same columns as text.

`latency` is in milliseconds, `message_size` in elements. A generation row has `step` cached
tokens and `isl` new ones (1), a context row of MLA `step` cached ones too. Power columns of newer
files are passed over.
"""

import pandas

from roofcast.measurements.formats import BYTES
from roofcast.measurements.rows import Column, Importer, Rows

_FRAMEWORKS = {"trtllm": "trtllm", "tensorrt-llm": "trtllm", "vllm": "vllm", "sglang": "sglang"}
_COLLECTIVES = {name: name for name in ("all_reduce", "all_gather", "reduce_scatter", "alltoall")}


def _run(rows: Rows, latency: str = "latency") -> dict[str, object]:
    """The columns that every table has."""
    framework = rows.text("framework").str.lower()
    return {
        "gpu": rows.text("device"),
        "framework": framework.map(lambda name: _FRAMEWORKS.get(name, name)),
        "version": rows.text("version"),
        "kernel": rows.text("kernel_source"),
        "latency_us": rows.positive(latency) * 1e3,
    }


def _gemm(rows: Rows) -> None:
    sizes = {name: rows.size(name) for name in ("m", "n", "k")}
    rows.take("gemm", {"dtype": rows.dtype("gemm_dtype")} | sizes | _run(rows))


def _attention(rows: Rows) -> None:
    generation = rows.text("op_name").str.contains("generation")
    queries = rows.size("isl")
    keys = queries + rows.size("step", least=0, default=0)
    heads = rows.size("num_heads")
    kv_heads = rows.size("num_key_value_heads")
    rows.reject(heads % kv_heads != 0, "num_key_value_heads does not divide num_heads")
    rows.reject(generation & (queries != 1), "a generation row with isl above 1")
    dtype = rows.dtype("attn_dtype")
    shape = {
        "phase": generation.map({True: "decode", False: "prefill"}),
        "dtype": dtype,
        "kv_dtype": rows.dtype("kv_cache_dtype") if rows.has("kv_cache_dtype") else dtype,
        "batch": rows.size("batch_size"),
        "q_len": queries,
        "kv_len": keys,
        "heads": heads,
        "kv_heads": kv_heads,
        "head_dim": rows.size("head_dim"),
        "window": rows.size("window_size", least=0, default=0),
    } | _run(rows)
    rows.take("attention_prefill", shape, ~generation)
    rows.take("attention_decode", shape, generation)


def _encoder(rows: Rows) -> None:
    length = rows.size("isl" if rows.has("isl") else "seqlen")
    heads, dtype = rows.size("num_heads"), rows.dtype("attn_dtype")
    rows.take(
        "attention_encoder",
        {"phase": "encoder", "dtype": dtype, "kv_dtype": dtype, "batch": rows.size("batch_size")}
        | {"q_len": length, "kv_len": length, "heads": heads, "kv_heads": heads}
        | {"head_dim": rows.size("head_dim"), "window": 0}
        | _run(rows),
    )


def _mla(rows: Rows) -> None:
    generation = rows.text("op_name").str.contains("generation")
    queries = rows.size("isl")
    rows.take(
        "mla",
        {
            "phase": generation.map({True: "decode", False: "prefill"}),
            "dtype": rows.dtype("mla_dtype"),
            "kv_dtype": rows.dtype("kv_cache_dtype"),
            "batch": rows.size("batch_size"),
            "q_len": queries,
            "kv_len": queries + rows.size("step", least=0),
            "heads": rows.size("num_heads"),
            "tp": rows.size("tp_size"),
        }
        | _run(rows),
    )


def _moe(rows: Rows) -> None:
    names = {"num_tokens": "num_tokens", "hidden": "hidden_size", "inter": "inter_size"}
    names |= {"topk": "topk", "num_experts": "num_experts"}
    names |= {"moe_tp": "moe_tp_size", "moe_ep": "moe_ep_size"}
    sizes = {name: rows.size(column) for name, column in names.items()}
    shape = {"dtype": rows.dtype("moe_dtype"), "distribution": rows.text("distribution")}
    rows.take("moe", shape | sizes | _run(rows))


def _bytes(rows: Rows, dtype: Column) -> Column:
    width = dtype.map(BYTES)
    rows.reject(dtype.notna() & width.isna(), "a number format of blocks in a collective")
    return rows.size("message_size") * width.fillna(1).astype("int64")


def _nccl(rows: Rows) -> None:
    dtype = rows.dtype("nccl_dtype")
    shape = {"impl": "nccl-tests", "dtype": dtype, "bytes": _bytes(rows, dtype), "nodes": 1}
    shape |= {"op": rows.each(rows.text("op_name"), _COLLECTIVES, "operation")}
    rows.take("collectives", _run(rows) | {"framework": "nccl"} | shape | _group(rows))


def _all_reduce(rows: Rows) -> None:
    dtype = rows.dtype("allreduce_dtype")
    run = _run(rows)
    shape = {"op": "all_reduce", "dtype": dtype, "bytes": _bytes(rows, dtype), "nodes": 1}
    # "vLLM_custom_eager" and "vLLM_custom_graph" of one table are two measurements.
    kernel = rows.text("kernel_source").str.lower().str.replace("_custom", "", regex=False)
    impl = kernel.where(kernel != "", "custom")
    rows.take("collectives", run | {"impl": impl} | shape | _group(rows))


def _group(rows: Rows) -> dict[str, Column]:
    return {"num_gpus": rows.size("num_gpus", least=2)}


def _quantise(rows: Rows) -> None:
    compute_scale = rows.text("op_name").str.contains("compute_scale|computescale")
    rows.reject(compute_scale, "a difference of two kernels, not a measured one")
    m, k = rows.size("m"), rows.size("k")
    dtype = rows.dtype("quant_dtype")
    rows.reject(dtype.notna() & (dtype != "fp8"), "quantises to another format than fp8")
    shape = {"op": "static_quant_bf16_to_fp8", "dtype": "bf16", "rows": m, "cols": k}
    rows.take("elementwise", shape | {"bytes_rw": 3 * m * k} | _run(rows))


def _deepep(rows: Rows) -> None:
    nodes = rows.size("node_num")
    normal = rows.has("dispatch_transmit_us")
    shape = {
        "gpu": rows.text("device"),
        "version": rows.text("version"),
        "impl": "deepep_normal" if normal else "deepep_ll",
        "nodes": nodes,
        "num_gpus": 8 * nodes,  # what the collectors run on
        "hidden": rows.size("hidden_size"),
        "tokens": rows.size("num_token"),
        "topk": rows.size("num_topk"),
        "num_experts": rows.size("num_experts"),
        "sms": rows.size("dispatch_sms") if normal else pandas.NA,
    }
    times = {}
    for op in ("dispatch", "combine"):
        if normal:
            notify = rows.number(f"{op}_notify_us").clip(lower=0)
            times[op] = rows.positive(f"{op}_transmit_us") + notify
        else:
            times[op] = rows.positive(f"{op}_avg_t_us")
    for op, time in times.items():
        rows.take("ep_all2all", shape | {"op": op, "latency_us": time})


# Columns that tell a table -> how it is read; the first whose columns are all there.
TABLES: list[tuple[set[str], Importer]] = [
    ({"gemm_dtype", "m", "n", "k", "latency"}, _gemm),
    ({"attn_dtype", "batch_size", "isl", "num_key_value_heads", "head_dim", "latency"}, _attention),
    ({"attn_dtype", "batch_size", "isl", "num_heads", "head_dim", "latency"}, _encoder),
    ({"attn_dtype", "batch_size", "seqlen", "num_heads", "head_dim", "latency"}, _encoder),
    ({"mla_dtype", "kv_cache_dtype", "num_heads", "isl", "step", "tp_size", "latency"}, _mla),
    ({"moe_dtype", "num_tokens", "topk", "moe_tp_size", "distribution", "latency"}, _moe),
    ({"nccl_dtype", "num_gpus", "message_size", "op_name", "latency"}, _nccl),
    ({"allreduce_dtype", "num_gpus", "message_size", "latency"}, _all_reduce),
    ({"quant_dtype", "m", "k", "op_name", "latency"}, _quantise),
    ({"node_num", "num_token", "num_topk", "dispatch_transmit_us"}, _deepep),
    ({"node_num", "num_token", "num_topk", "dispatch_avg_t_us", "combine_avg_t_us"}, _deepep),
]
