# SPDX-License-Identifier: Apache-2.0
"""What tools call number formats and kernels, and what roofcast does: the only tables of it."""

import re

# Name in the tables -> what tools call it; letter case, a "torch." and a "c10::" don't count.
_NAMES: dict[str, str] = {
    "fp64": "float64 double",
    "fp32": "float32 float",
    "tf32": "",
    "fp16": "float16 half",
    "bf16": "bfloat16",
    "fp8": "float8 fp8_e4m3 fp8_e5m2 f8e4m3 f8e5m2 float8_e4m3fn float8_e5m2 float8_e4m3 e4m3 e5m2",
    "int8": "char signed_char",
    "uint8": "byte unsigned_char",
    "int32": "int",
    "uint32": "",
    "int64": "long long_int",
    "uint64": "",
    "fp8_block": "",  # weights scaled by blocks of 128 x 128
    "nvfp4": "",
    "int8_sq": "sq",  # SmoothQuant
    "int8_wo": "",  # weight only
    "int4_wo": "",
    "w4a16_mxfp4": "",
    "w4a8_mxfp4_mxfp8": "",
    "w4afp8": "",
}
_DTYPES = {alias: name for name, aliases in _NAMES.items() for alias in [name, *aliases.split()]}

# Bytes of an element; formats of blocks have none.
BYTES: dict[str, int] = {"fp64": 8, "fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2, "fp8": 1}
BYTES |= {"int8": 1, "uint8": 1, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8}


def dtype_of(name: str) -> str | None:
    """What the tables call a number format, or None."""
    folded = name.strip().lower().removeprefix("torch.").removeprefix("c10::")
    return _DTYPES.get(folded.replace(" ", "_").replace("-", "_"))


# First match wins: a kernel of an MoE layer is a GEMM too.
_FAMILIES = [
    ("copy", r"\[cuda mem|^mem(cpy|set)"),
    ("collective", r"nccl|rccl|all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|cross_device"),
    ("attention", r"flash|fmha|attention|mha|mla|paged|xqa|sdpa"),
    ("moe", r"moe|grouped_?gemm|group_?gemm|expert|topk_?gating"),
    ("gemm", r"gemm|gemv|xmma|cublas|matmul|cutlass|nvjet|splitk|tensorop|_mm_"),
    ("elementwise", r"elementwise|norm|rotary|rope|silu|gelu|act_and|softmax|quant|triton_|copy"),
]


def kernel_family(name: str) -> str:
    """What a kernel probably is, by its name: for people's eyes, never for a fit."""
    for family, pattern in _FAMILIES:
        if re.search(pattern, name.lower()):
            return family
    return "other"


_KERNEL_DTYPES = [
    ("fp8", r"e4m3|e5m2|fp8"),
    ("bf16", r"bf16|bfloat16"),
    ("fp16", r"fp16|half|f16f16|h(884|1688|16816)gemm|_hhs_|_hhh_"),
    ("tf32", r"tf32"),
    ("fp32", r"sgemm|fp32|_sss_|float"),
]


def dtype_of_kernel(name: str) -> str | None:
    """The number format that a GEMM kernel's name tells, or None."""
    for dtype, pattern in _KERNEL_DTYPES:
        if re.search(pattern, name.lower()):
            return dtype
    return None
