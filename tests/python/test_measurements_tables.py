# SPDX-License-Identifier: Apache-2.0
"""Importers of tables: aiconfigurator's and vidur's."""

import os
from pathlib import Path

import pytest
from repository import ROOT

import roofcast as rc

pandas = pytest.importorskip("pandas")

DATA = Path(os.environ.get("ROOFCAST_DATA") or ROOT.parent / "shared/data")
RUN = "framework,version,device,op_name,kernel_source"
A100 = "VLLM,0.14.0,NVIDIA A100-SXM4-80GB"


def read(folder: Path, *lines: str, **given: str) -> "rc.measurements.Measurements":
    path = folder / "raw_perf.txt"
    path.write_text("\n".join(lines) + "\n")
    return rc.read_measurements(path, **given)


def only(found: "rc.measurements.Measurements", family: str) -> "list[dict[str, object]]":
    assert list(found.tables) == [family]
    return found.tables[family].to_dict("records")


def has(found: "dict[str, object]", /, **values: object) -> None:
    assert {name: found[name] for name in values} == values


def test_aiconfigurator_gemm_is_in_milliseconds(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        f"{RUN},gemm_dtype,m,n,k,latency,power",
        f"{A100},gemm,torch,bfloat16,16,4096,1024,0.0125,300",
        f"{A100},gemm,cutlass,fp8_block,16,4096,1024,0.01,300",
        f"{A100},gemm,trt,sq,16,4096,1024,0.01,300",
        f"{A100},gemm,trt,fp3,16,4096,1024,0.01,300",
    )
    rows = only(found, "gemm")
    has(rows[0], gpu="a100-sxm", source="aiconfigurator", framework="vllm", version="0.14.0")
    has(rows[0], kernel="torch", dtype="bf16", m=16, n=4096, k=1024, latency_us=12.5, row=2)
    assert [row["dtype"] for row in rows] == ["bf16", "fp8_block", "int8_sq"]
    assert found.dropped["reason"].tolist() == ["gemm_dtype 'fp3' is unknown"]


ATTENTION = "batch_size,isl,num_heads,num_key_value_heads,head_dim,window_size,beam_width"
ATTENTION += ",attn_dtype,kv_cache_dtype,step,latency"


def test_aiconfigurator_attention_splits_by_phase(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        f"{RUN},{ATTENTION}",
        f"{A100},context_attention,fa2,2,512,32,8,128,0,1,bfloat16,fp8,0,0.1",
        f"{A100},generation_attention,fa2,64,1,32,8,128,4096,1,bfloat16,bfloat16,1023,0.05",
        f"{A100},generation_attention,fa2,64,2,32,8,128,0,1,bfloat16,bfloat16,1023,0.05",
        f"{A100},context_attention,fa2,2,512,32,5,128,0,1,bfloat16,fp8,0,0.1",
    )
    assert list(found.tables) == ["attention_prefill", "attention_decode"]
    prefill = found.tables["attention_prefill"].iloc[0].to_dict()
    has(prefill, phase="prefill", kv_dtype="fp8", q_len=512, kv_len=512, window=0)
    has(prefill, heads=32, kv_heads=8, head_dim=128, batch=2, latency_us=100)
    decode = found.tables["attention_decode"].iloc[0].to_dict()
    has(decode, phase="decode", q_len=1, kv_len=1024, window=4096, kv_dtype="bf16")
    assert found.dropped["reason"].tolist() == [
        "a generation row with isl above 1",
        "num_key_value_heads does not divide num_heads",
    ]


@pytest.mark.parametrize("length", ["isl", "seqlen"])
def test_aiconfigurator_encoder_attention_has_no_kv_heads_of_its_own(
    length: str, tmp_path: Path
) -> None:
    found = read(
        tmp_path,
        f"{RUN},batch_size,{length},num_heads,head_dim,attn_dtype,latency",
        f"{A100},encoder_attention,fa2,4,576,16,64,bfloat16,0.02",
    )
    row = only(found, "attention_encoder")[0]
    has(row, phase="encoder", q_len=576, kv_len=576, heads=16, kv_heads=16, head_dim=64)


def test_aiconfigurator_mla_counts_cached_tokens(tmp_path: Path) -> None:
    header = f"{RUN},mla_dtype,kv_cache_dtype,num_heads,batch_size,isl,tp_size,step,latency"
    found = read(
        tmp_path,
        header,
        f"{A100},context_mla,triton,bfloat16,bfloat16,16,2,128,8,0,0.5",
        f"{A100},generation_mla,triton,bfloat16,fp8,16,2,1,8,255,0.3",
    )
    rows = only(found, "mla")
    has(rows[0], phase="prefill", q_len=128, kv_len=128, heads=16, tp=8, latency_us=500)
    has(rows[1], phase="decode", q_len=1, kv_len=256, kv_dtype="fp8", latency_us=300)


def test_aiconfigurator_moe_keeps_its_distribution(tmp_path: Path) -> None:
    shape = "num_tokens,hidden_size,inter_size,topk,num_experts,moe_tp_size,moe_ep_size"
    found = read(
        tmp_path,
        f"{RUN},moe_dtype,{shape},distribution,latency",
        f"{A100},moe,triton,bfloat16,8,2048,768,8,128,1,4,power_law_1.2,0.4",
    )
    row = only(found, "moe")[0]
    has(row, num_tokens=8, hidden=2048, inter=768, topk=8, num_experts=128)
    has(row, moe_tp=1, moe_ep=4, distribution="power_law_1.2", dtype="bf16", latency_us=400)


def test_aiconfigurator_messages_are_counted_in_elements(tmp_path: Path) -> None:
    nccl = read(
        tmp_path,
        "nccl_dtype,num_gpus,message_size,kernel_source,op_name,latency",
        "half,8,1024,NCCL,all_gather,0.009",
        "int8,8,1024,NCCL,alltoall,0.009",
        "nvfp4,8,1024,NCCL,alltoall,0.009",
        "half,8,1024,NCCL,scan,0.009",
        gpu="h100",
    )
    rows = only(nccl, "collectives")
    has(rows[0], gpu="h100-sxm", framework="nccl", impl="nccl-tests", op="all_gather")
    has(rows[0], dtype="fp16", bytes=2048, num_gpus=8, nodes=1, latency_us=9)
    has(rows[1], dtype="int8", bytes=1024)
    assert nccl.dropped["reason"].tolist() == [
        "a number format of blocks in a collective",
        "operation 'scan' is not read",
    ]
    custom = read(
        tmp_path,
        f"{RUN},allreduce_dtype,num_gpus,message_size,latency",
        f"{A100},all_reduce,vLLM_custom_graph,bfloat16,4,128,0.004",
    )
    has(only(custom, "collectives")[0], impl="vllm_graph", op="all_reduce", bytes=256, num_gpus=4)


def test_aiconfigurator_quantisation_reads_two_bytes_and_writes_one(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        f"{RUN},quant_dtype,m,k,latency",
        f"{A100},scale_matrix,static,fp8,8192,3072,0.026",
        f"{A100},compute_scale,dynamic,fp8,8192,3072,0.001",
    )
    row = only(found, "elementwise")[0]
    has(row, op="static_quant_bf16_to_fp8", rows=8192, cols=3072, bytes_rw=3 * 8192 * 3072)
    assert found.dropped["row"].tolist() == [3]


def test_aiconfigurator_deepep_gives_a_row_for_each_direction(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        f"{RUN},node_num,hidden_size,num_token,num_topk,num_experts,"
        "combine_avg_t_us,dispatch_avg_t_us",
        f"{A100},ll,deepep,2,7168,128,8,256,143.5,102.5",
    )
    rows = only(found, "ep_all2all")
    assert [(row["op"], row["latency_us"]) for row in rows] == [
        ("dispatch", 102.5),
        ("combine", 143.5),
    ]
    has(rows[0], impl="deepep_ll", nodes=2, num_gpus=16, tokens=128, hidden=7168)


OPS = ["emb", "attn_pre_proj", "attn_post_proj", "mlp_up_proj", "mlp_down_proj"]
MLP = [f"time_stats.{op}.{name}" for op in OPS for name in ("min", "max", "mean", "median", "std")]
MLP += ["n_head", "n_kv_head", "n_embd", "n_expanded_embd", "vocab_size", "use_gated_mlp"]
MLP += ["num_tokens", "num_tensor_parallel_workers"]


def mlp_row(median: float, gated: bool, tokens: object, workers: int) -> str:
    times = [f"{median - 0.01},9,9,{median},0"] * len(OPS)
    return ",".join([*times, f"32,8,4096,14336,32000,{gated},{tokens},{workers}"])


def test_vidur_mlp_gives_the_gemms_of_one_worker(tmp_path: Path) -> None:
    found = read(tmp_path, ",".join(MLP), mlp_row(0.25, True, 96, 2), gpu="a100")
    assert list(found.tables) == ["vidur_gemm", "vidur_elementwise"]
    table = found.tables["vidur_gemm"].set_index("op")
    shapes = table[["gemm_m", "gemm_n", "gemm_k"]].apply(tuple, axis=1).to_dict()
    assert shapes == {
        "attn_pre_proj": (96, (32 + 16) * 128 // 2, 4096),
        "attn_post_proj": (96, 4096, 2048),
        "mlp_up_proj": (96, 14336, 4096),
        "mlp_down_proj": (96, 4096, 7168),
    }
    has(table.iloc[0].to_dict(), latency_us=250, dtype="fp16", tp=2, gpu="a100-sxm", row=2)
    assert table["latency_us_min"].tolist() == pytest.approx([240] * 4)
    emb = found.tables["vidur_elementwise"].iloc[0].to_dict()
    has(emb, op="emb", num_tokens=96, latency_us=250)
    names = [file.name for file in found.save(tmp_path / "out")]
    assert names == ["a100_sxm_vidur__gemm.csv", "a100_sxm_vidur__elementwise.csv"]


def test_vidur_mlp_that_is_not_gated_is_half_as_wide(tmp_path: Path) -> None:
    found = read(tmp_path, ",".join(MLP), mlp_row(0.25, False, 96, 1), gpu="a100")
    table = found.tables["vidur_gemm"].set_index("op")
    assert table.loc["mlp_up_proj", "gemm_n"] == 14336


def test_vidur_times_that_round_to_zero_are_dropped(tmp_path: Path) -> None:
    found = read(tmp_path, ",".join(MLP), mlp_row(0, True, 8, 1), mlp_row(0.1, True, "", 3))
    assert found.tables == {}
    counts = found.dropped.groupby(["row", "reason"]).size().to_dict()
    zero = {(2, f"time_stats.{op}.median is zero"): 1 for op in OPS}
    assert counts == zero | {(3, "no num_tokens"): len(OPS)}


def test_vidur_attention_counts_the_tokens_it_computes(tmp_path: Path) -> None:
    header = "time_stats.attn_decode.median,time_stats.attn_prefill.median,n_embd,n_q_head"
    header += ",n_kv_head,num_tensor_parallel_workers,batch_size,prefill_chunk_size"
    header += ",kv_cache_size,is_prefill,attention_backend"
    found = read(
        tmp_path,
        header,
        "0.015,,8192,64,8,2,16,0,32,False,AttentionBackend.FLASH_ATTENTION",
        ",0.5,8192,64,8,2,1,256,512,True,AttentionBackend.FLASH_ATTENTION",
        "0.2,,8192,64,8,2,1,256,512,True,AttentionBackend.FLASH_ATTENTION",
        "0.2,,8192,64,8,3,1,0,512,False,AttentionBackend.FLASH_ATTENTION",
    )
    decode = found.tables["attention_decode"].iloc[0].to_dict()
    has(decode, batch=16, q_len=1, kv_len=33, heads=32, kv_heads=4, head_dim=128, latency_us=15)
    has(decode, kernel="flash_attention", dtype="fp16")
    prefill = found.tables["attention_prefill"].iloc[0].to_dict()
    has(prefill, batch=1, q_len=256, kv_len=768, latency_us=500)
    assert found.dropped["reason"].tolist() == [
        "no median of its phase",
        "n_q_head does not divide among the workers",
    ]


def test_vidur_network_counts_nodes(tmp_path: Path) -> None:
    header = ",time_stats.all_reduce.min,time_stats.all_reduce.median,rank,num_workers,size"
    header += ",collective,devices_per_node,max_devices_per_node"
    found = read(
        tmp_path,
        header,
        "0,0.031,0.043,0,2,2048,all_reduce,1,8",
        "1,0.03,0.04,0,4,2048,all_reduce,4,8",
    )
    rows = only(found, "collectives")
    has(rows[0], op="all_reduce", num_gpus=2, nodes=2, bytes=2048, latency_us=43)
    has(rows[1], num_gpus=4, nodes=1, impl="nccl_kineto_median", framework="torch.distributed")


@pytest.mark.parametrize(
    ("raw", "common", "family", "keys"),
    [
        (
            "aiconfigurator/h100_sxm__nccl_2.23__nccl_perf.parquet",
            "h100_sxm_80g__collectives.csv",
            "collectives",
            {"version": "2.23"},
        ),
        (
            "aiconfigurator/a100_sxm__vllm_0.14.0__context_mla_perf.parquet",
            "a100_sxm_80g__mla.csv",
            "mla",
            {"version": "0.14.0", "phase": "prefill", "kernel": "vllm_triton_mla"},
        ),
        (
            "aiconfigurator/a100_sxm__trtllm_1.0.0__custom_allreduce_perf.parquet",
            "a100_sxm_80g__collectives.csv",
            "collectives",
            {"version": "1.0.0", "framework": "trtllm"},
        ),
    ],
)
def test_public_samples_become_their_common_rows(
    raw: str, common: str, family: str, keys: "dict[str, str]"
) -> None:
    if not (DATA / "raw_samples" / raw).exists():
        pytest.skip("no measured data: $ROOFCAST_DATA or shared/data beside the checkout")
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow, which isn't installed")
    gpu = raw.split("/")[1].split("_")[0]
    found = rc.read_measurements(DATA / "raw_samples" / raw, gpu=gpu)
    assert len(found.dropped) == 0
    mine = found.tables[family]
    theirs = rc.read_measurements(DATA / "gpu_micro" / common).tables[family]
    for name, value in keys.items():
        theirs = theirs[theirs[name] == value]
    shape = ["op", "dtype", "num_gpus", "bytes"]
    if family == "mla":
        shape = ["kv_dtype", "batch", "q_len", "kv_len", "heads", "tp"]
    joined = theirs.merge(mine, on=shape, how="left")
    assert len(joined) == len(theirs) > 50
    assert (joined["latency_us_x"] - joined["latency_us_y"]).abs().max() < 0.01


def test_public_common_tables_pass_without_a_dropped_row() -> None:
    files = sorted((DATA / "gpu_micro").glob("a100*.csv"))
    if not files:
        pytest.skip("no measured data: $ROOFCAST_DATA or shared/data beside the checkout")
    found = rc.read_measurements(files)
    assert len(found.dropped) == 0
    rows = sum(len(pandas.read_csv(file, low_memory=False)) for file in files)
    assert sum(len(table) for table in found.tables.values()) == rows
