# SPDX-License-Identifier: Apache-2.0
"""Tables that are in the common schemas already: checked and passed on."""

from roofcast.measurements.rows import Rows
from roofcast.measurements.schemas import SCHEMAS, WHOLE

# What a header must have for a table to be of a family, the most telling first. The others of the
# schema are unknown where they are missing.
_TELLING: list[tuple[str, set[str]]] = [
    ("vidur_gemm", {"gemm_m", "gemm_n", "gemm_k", "dtype"}),
    ("mla", {"phase", "batch", "q_len", "kv_len", "heads", "tp"}),
    ("attention_prefill", {"phase", "batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim"}),
    ("moe", {"num_tokens", "hidden", "inter", "topk", "num_experts"}),
    ("ep_all2all", {"op", "num_gpus", "hidden", "tokens", "topk", "num_experts"}),
    ("collectives", {"op", "num_gpus", "bytes"}),
    ("batched_gemm", {"batch", "m", "n", "k", "dtype"}),
    ("gemm", {"m", "n", "k", "dtype"}),
    ("elementwise", {"op", "rows", "cols", "bytes_rw"}),
]
HEADERS: list[set[str]] = [need | {"latency_us"} for _, need in _TELLING]
_MAY_BE_ZERO = {"window"}
_UNKNOWN_IS_FINE = {"nodes", "sms", "tp", "gemm_m", "gemm_n", "gemm_k"}


def family_of(columns: set[str]) -> str | None:
    """The family whose schema a header has, or None."""
    if "latency_us" not in columns:
        return None
    return next((name for name, need in _TELLING if need <= columns), None)


def read(rows: Rows, family: str) -> None:
    """A table of one family; attention rows go where their phase says."""
    columns: dict[str, object] = {}
    needed = dict(_TELLING)[family] - _UNKNOWN_IS_FINE
    for name in SCHEMAS[family]:
        if name not in rows.frame:
            continue
        if name == "latency_us":
            columns[name] = rows.positive(name)
        elif name in ("dtype", "kv_dtype"):
            columns[name] = rows.dtype(name)
        elif name in needed and name in WHOLE:
            columns[name] = rows.size(name, least=0 if name in _MAY_BE_ZERO else 1)
        else:
            columns[name] = text = rows.text(name)
            if name in needed:
                rows.reject(text == "", f"no {name}")
    if family == "attention_prefill":
        phases = {name: f"attention_{name}" for name in ("prefill", "decode", "encoder")}
        target = rows.each(rows.text("phase"), phases, "phase")
        for name in phases.values():
            rows.take(name, columns, target == name)
    elif family == "vidur_gemm":
        is_gemm = rows.text("gemm_n") != ""
        rows.take("vidur_gemm", columns, is_gemm)
        rows.take("vidur_elementwise", columns, ~is_gemm)
    else:
        rows.take(family, columns)
