# SPDX-License-Identifier: Apache-2.0
"""Shapes of PyTorch's operators from the sizes and types of their inputs."""

import math
from collections.abc import Sequence

from roofcast.measurements.formats import BYTES, dtype_of

Dims = Sequence[Sequence[int]]


def gemm_of(name: str, dims: Dims) -> dict[str, object] | None:
    """m, n, k (and batch) of a matrix product, or None when it is none that can be read."""
    operands = {"aten::mm": (0, 1), "aten::_int_mm": (0, 1), "aten::_scaled_mm": (0, 1)}
    operands |= {"aten::addmm": (1, 2), "aten::bmm": (0, 1), "aten::baddbmm": (1, 2)}
    operands |= {"aten::linear": (0, 1)}
    if name not in operands or len(dims) <= operands[name][1]:
        return None
    a, b = (list(dims[i]) for i in operands[name])
    if any(size < 1 for size in [*a, *b]):
        return None
    if name == "aten::linear":
        if len(b) != 2 or not a or a[-1] != b[1]:
            return None
        return {"m": math.prod(a[:-1]), "n": b[0], "k": b[1]}
    batched = name in ("aten::bmm", "aten::baddbmm")
    if len(a) != len(b) or len(a) != (3 if batched else 2) or a[-1] != b[-2]:
        return None
    if batched and a[0] != b[0]:
        return None
    return ({"batch": a[0]} if batched else {}) | {"m": a[-2], "n": b[-1], "k": a[-1]}


# Attention: operator -> order of sizes, input of the mask, input that says causal.
ATTENTION: dict[str, tuple[str, int | None, int]] = {
    "aten::scaled_dot_product_attention": ("bhsd", 3, 5),
    "aten::_scaled_dot_product_flash_attention": ("bhsd", None, 4),
    "aten::_scaled_dot_product_efficient_attention": ("bhsd", 3, 6),
    "aten::_scaled_dot_product_cudnn_attention": ("bhsd", 3, 6),
    "flash_attn::_flash_attn_forward": ("bshd", None, 5),
}


def attention_of(
    name: str, dims: Dims, types: Sequence[str], values: Sequence[str]
) -> tuple[str, dict[str, object]] | str:
    """Family and shape of an attention, or why it can't be read."""
    order, mask, causal = ATTENTION[name]
    if len(dims) < 3 or any(len(dims[i]) != 4 or min(dims[i]) < 1 for i in range(3)):
        return "attention whose inputs are not of four dimensions"
    if mask is not None and mask < len(dims) and len(dims[mask]) > 0:
        return "attention with a mask"
    batch, q_len, heads, head_dim = (dims[0][order.index(axis)] for axis in "bshd")
    kv_len, kv_heads = (dims[1][order.index(axis)] for axis in "sh")
    same_batch = dims[1][order.index("b")] == batch
    if heads % kv_heads != 0 or list(dims[1]) != list(dims[2]) or not same_batch:
        return "attention of unequal batches, values or heads"
    dtype = dtype_of(types[0]) if types else None
    if dtype is None:
        return "attention of an unknown number format"
    shape: dict[str, object] = {"dtype": dtype, "kv_dtype": dtype, "batch": batch}
    shape |= {"q_len": q_len, "kv_len": kv_len, "heads": heads, "kv_heads": kv_heads}
    shape |= {"head_dim": head_dim, "window": 0}
    if q_len == 1:  # sees everything, causal or not
        return "attention_decode", shape | {"phase": "decode"}
    flag = values[causal].lower() if causal < len(values) else ""
    if flag not in ("true", "false"):
        return "attention that doesn't say whether it is causal"
    if flag == "false":
        return "attention_encoder", shape | {"phase": "encoder"}
    if q_len != kv_len:
        return "causal attention of fewer queries than keys, whose alignment is unknown"
    return "attention_prefill", shape | {"phase": "prefill"}


# Elementwise operator -> its name in the tables, and how many of its inputs are full tensors.
_ELEMENTWISE: dict[str, tuple[str, int]] = {
    "aten::add": ("add", 2),
    "aten::add_": ("add", 2),
    "aten::mul": ("mul", 2),
    "aten::mul_": ("mul", 2),
    "aten::silu": ("silu", 1),
    "aten::gelu": ("gelu", 1),
    "aten::relu": ("relu", 1),
    "aten::_softmax": ("softmax", 1),
    "aten::native_layer_norm": ("layer_norm", 1),
    "aten::_fused_rms_norm": ("rms_norm", 1),
}


def elementwise_of(name: str, dims: Dims, types: Sequence[str]) -> dict[str, object] | None:
    """Rows, columns and bytes of an elementwise operator that reads tensors of one size."""
    if name not in _ELEMENTWISE or not types:
        return None
    op, inputs = _ELEMENTWISE[name]
    dtype = dtype_of(types[0])
    if dtype is None or dtype not in BYTES or len(dims) < inputs or not dims[0]:
        return None
    same = all(list(dims[i]) == list(dims[0]) and types[i] == types[0] for i in range(inputs))
    if not same or min(dims[0]) < 1:
        return None
    rows, cols = math.prod(dims[0][:-1]), dims[0][-1]
    traffic = (inputs + 1) * rows * cols * BYTES[dtype]
    return {"op": op, "dtype": dtype, "rows": rows, "cols": cols, "bytes_rw": traffic}


# "Collective name" of the profiler -> operation, and which message its bytes are of.
_COLLECTIVES: dict[str, tuple[str, str]] = {
    "allreduce": ("all_reduce", "In msg nelems"),
    "allgather": ("all_gather", "Out msg nelems"),
    "_allgather_base": ("all_gather", "Out msg nelems"),
    "reduce_scatter": ("reduce_scatter", "In msg nelems"),
    "_reduce_scatter_base": ("reduce_scatter", "In msg nelems"),
    "all_to_all": ("alltoall", "In msg nelems"),
    "broadcast": ("broadcast", "In msg nelems"),
}


def collective_of(arguments: dict[str, object]) -> dict[str, object] | str:
    """Operation, group and bytes of a collective's kernel, or why they can't be read."""
    name = str(arguments.get("Collective name", ""))
    if name not in _COLLECTIVES:
        return f"collective '{name[:40]}' is not read"
    op, message = _COLLECTIVES[name]
    count, group = arguments.get(message), arguments.get("Group size")
    dtype = dtype_of(str(arguments.get("dtype", "")))
    if dtype is None or dtype not in BYTES:
        return "collective of an unknown number format"
    if not isinstance(count, int) or not isinstance(group, int) or count < 1 or group < 2:
        return "collective without its size or group"
    return {"op": op, "dtype": dtype, "num_gpus": group, "bytes": count * BYTES[dtype]}
