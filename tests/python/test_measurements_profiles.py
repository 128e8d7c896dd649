# SPDX-License-Identifier: Apache-2.0
"""Importers of profiles: PyTorch's profiler and nsys."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import roofcast as rc

pytest.importorskip("pandas")

BF16 = "c10::BFloat16"


class Trace:
    """A made-up trace of PyTorch's profiler."""

    def __init__(self) -> None:
        self.events: list[dict[str, object]] = [{"ph": "M", "name": "process_name"}]
        self.clock = 0.0

    def op(
        self,
        name: str,
        dims: Sequence[Sequence[int]],
        kernels: Mapping[str, float],
        *,
        types: Sequence[str] = (BF16, BF16, BF16),
        values: Sequence[str] = (),
        inside: Sequence[str] = (),
        by: str = "external id",
    ) -> None:
        """An operator, those inside it, and the kernels that the innermost launches."""
        start, self.clock = self.clock, self.clock + 100
        identity = len(self.events)
        args = {"External id": identity, "Input Dims": dims, "Input type": types}
        args |= {"Concrete Inputs": values}
        self._host(name, start, 90, args)
        for depth, inner in enumerate(inside, 1):
            identity = len(self.events)
            self._host(inner, start + depth, 90 - 2 * depth, {"External id": identity})
        for kernel, duration in kernels.items():
            correlation = 10_000 + len(self.events)
            ids = {"External id": identity} if by == "external id" else {}
            self.events.append(
                {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1}
                | {"ts": start + 20, "dur": 1, "args": {"correlation": correlation}}
            )
            self.kernel(kernel, duration, ids | {"correlation": correlation})

    def kernel(self, name: str, duration: object, args: Mapping[str, object]) -> None:
        self.events.append(
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": self.clock + 500}
            | {"dur": duration, "args": {"device": 0, **args}}
        )

    def _host(self, name: str, start: float, duration: float, args: Mapping[str, object]) -> None:
        self.events.append(
            {"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1}
            | {"ts": start, "dur": duration, "args": args}
        )

    def read(self, folder: Path, pack: bool = False) -> "rc.measurements.Measurements":
        devices = [{"id": 0, "name": "NVIDIA H100 80GB HBM3"}]
        text = json.dumps({"deviceProperties": devices, "traceEvents": self.events})
        path = folder / ("trace.json.gz" if pack else "trace.json")
        path.write_bytes(gzip.compress(text.encode()) if pack else text.encode())
        return rc.read_measurements(path)


def rows(found: "rc.measurements.Measurements", family: str) -> "list[dict[str, object]]":
    return found.tables[family].to_dict("records")


def sizes(row: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(row[name] for name in ("m", "n", "k"))


@pytest.mark.parametrize(
    ("name", "dims", "shape"),
    [
        ("aten::mm", [[16, 64], [64, 32]], (16, 32, 64)),
        ("aten::addmm", [[32], [16, 64], [64, 32]], (16, 32, 64)),
        ("aten::linear", [[2, 8, 64], [32, 64], [32]], (16, 32, 64)),
    ],
)
def test_a_matrix_product_has_its_shape_and_the_time_of_its_kernels(
    name: str, dims: "list[list[int]]", shape: tuple[int, ...], tmp_path: Path
) -> None:
    trace = Trace()
    trace.op(name, dims, {"nvjet_splitk": 9.5, "reduce": 1.5})
    found = trace.read(tmp_path, pack=True)
    assert list(found.tables) == ["gemm"]
    row = rows(found, "gemm")[0]
    assert sizes(row) == shape
    assert (row["dtype"], row["latency_us"], row["kernel"]) == ("bf16", 11.0, "nvjet_splitk")
    assert (row["gpu"], row["framework"], row["repeats"]) == ("h100-sxm", "pytorch", 1)
    assert len(found.dropped) == 0


@pytest.mark.parametrize("by", ["external id", "correlation"])
def test_a_kernel_of_an_inner_operator_counts_once(by: str, tmp_path: Path) -> None:
    trace = Trace()
    dims = [[16, 64], [32, 64]]
    trace.op("aten::linear", dims, {"gemm": 7}, inside=["aten::t", "aten::unknown"], by=by)
    found = trace.read(tmp_path)
    assert [sizes(row) for row in rows(found, "gemm")] == [(16, 32, 64)]
    assert rows(found, "gemm")[0]["latency_us"] == 7


def test_repeats_of_a_shape_become_their_median(tmp_path: Path) -> None:
    trace = Trace()
    for time in (90, 7, 8):  # the first one warms up
        trace.op("aten::mm", [[16, 64], [64, 32]], {"gemm": time})
    trace.op("aten::mm", [[17, 64], [64, 32]], {"gemm": 9})
    table = rows(trace.read(tmp_path), "gemm")
    assert [(row["m"], row["latency_us"], row["repeats"]) for row in table] == [
        (16, 8, 3),
        (17, 9, 1),
    ]


def test_batched_products_are_a_family_of_their_own(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::bmm", [[4, 16, 64], [4, 64, 32]], {"gemm": 7})
    row = rows(trace.read(tmp_path), "batched_gemm")[0]
    assert (row["batch"], *sizes(row)) == (4, 16, 32, 64)


Q, KV = [2, 32, 512, 128], [2, 8, 512, 128]
SDPA = "aten::scaled_dot_product_attention"


def test_attention_has_its_phase(tmp_path: Path) -> None:
    trace = Trace()
    causal = ["", "", "", "", "0.", "True", "", "True"]
    other = ["", "", "", "", "0.", "False", "", "True"]
    inner = ["aten::_scaled_dot_product_flash_attention", "aten::_flash_attention_forward"]
    trace.op(SDPA, [Q, KV, KV, []], {"flash_fwd": 50}, values=causal, inside=inner)
    trace.op(SDPA, [Q, KV, KV, []], {"flash_fwd": 90}, values=other, inside=inner)
    trace.op(SDPA, [[2, 32, 1, 128], KV, KV, []], {"flash_fwd": 10}, values=other)
    found = trace.read(tmp_path)
    prefill = rows(found, "attention_prefill")[0]
    shape = ("batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim")
    assert tuple(prefill[name] for name in shape) == (2, 512, 512, 32, 8, 128)
    assert (prefill["phase"], prefill["latency_us"]) == ("prefill", 50)
    assert rows(found, "attention_encoder")[0]["latency_us"] == 90
    assert rows(found, "attention_decode")[0]["q_len"] == 1
    assert len(found.dropped) == 0


@pytest.mark.parametrize(
    ("dims", "values", "reason"),
    [
        ([Q, KV, KV, []], [], "attention that doesn't say whether it is causal"),
        ([Q, KV, KV, [512, 512]], ["", "", "", "", "", "False"], "attention with a mask"),
        ([[64, 512, 128]] * 3, [], "attention whose inputs are not of four dimensions"),
        (
            [[2, 32, 64, 128], KV, KV, []],
            ["", "", "", "", "", "True"],
            "causal attention of fewer queries than keys, whose alignment is unknown",
        ),
    ],
)
def test_attention_that_cannot_be_told_is_dropped(
    dims: "list[list[int]]", values: "list[str]", reason: str, tmp_path: Path
) -> None:
    trace = Trace()
    trace.op(SDPA, dims, {"flash_fwd": 50}, values=values)
    found = trace.read(tmp_path)
    assert found.tables == {}
    assert found.dropped["reason"].tolist() == [reason]


def test_elementwise_operators_count_what_they_move(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::add", [[8, 16, 64], [8, 16, 64], []], {"add": 5})
    trace.op("aten::silu", [[8, 64]], {"silu": 4})
    trace.op("aten::add", [[8, 64], [64], []], {"add": 5})  # one is spread over the other
    found = trace.read(tmp_path)
    table = rows(found, "elementwise")
    assert [(row["op"], row["rows"], row["cols"], row["bytes_rw"]) for row in table] == [
        ("add", 128, 64, 3 * 128 * 64 * 2),
        ("silu", 8, 64, 2 * 8 * 64 * 2),
    ]
    assert found.dropped["reason"].tolist() == [
        "other kernel launched by aten::add, which is not read"
    ]


def test_of_a_collective_the_shortest_counts(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::mm", [[16, 64], [64, 32]], {"gemm": 7})
    message = {"Collective name": "allreduce", "In msg nelems": 1024, "Out msg nelems": 1024}
    message |= {"Group size": 8, "dtype": "BFloat16"}
    for time in (900, 30, 31):
        trace.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", time, message)
    trace.kernel("ncclKernel", 30, message | {"Collective name": "barrier"})
    gather = {"Collective name": "_allgather_base", "Out msg nelems": 8192}
    trace.kernel("ncclDevKernel_AllGather", 40, message | gather)
    found = trace.read(tmp_path)
    table = rows(found, "collectives")
    assert [(row["op"], row["bytes"], row["num_gpus"], row["latency_us"]) for row in table] == [
        ("all_reduce", 2048, 8, 30),
        ("all_gather", 16384, 8, 40),
    ]
    assert found.dropped["reason"].tolist() == ["collective 'barrier' is not read"]


def test_kernels_that_belong_to_nothing_are_listed(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::mm", [[16, 64], [64, 32]], {"gemm": 7})
    trace.kernel("nvjet_tst_128x64", 7, {"graph node id": 5})
    trace.kernel("nvjet_tst_128x64", -7, {"correlation": 5})
    trace.op("aten::sort", [[64]], {"sort_kernel": 4})
    trace.events.append(
        {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD", "ts": 1, "dur": 1, "args": {}}
    )
    found = trace.read(tmp_path)
    assert found.dropped["reason"].tolist() == [
        "gemm kernel launched by no operator, perhaps by a CUDA graph",
        "kernel without a positive time",
        "other kernel launched by aten::sort, which is not read",
        "copy or fill of memory",
    ]
    assert found.kernels["name"].tolist() == ["nvjet_tst_128x64", "sort_kernel"]


@pytest.mark.parametrize(
    ("types", "reason"),
    [
        ([BF16, "c10::Half"], "matrix product of two number formats"),
        ([BF16, "c10::Weird"], "matrix product of an unknown number format"),
        ([], "matrix product of an unknown number format"),
    ],
)
def test_products_of_unclear_formats_are_dropped(
    types: "list[str]", reason: str, tmp_path: Path
) -> None:
    trace = Trace()
    trace.op("aten::mm", [[16, 64], [64, 32]], {"gemm": 7}, types=types)
    assert trace.read(tmp_path).dropped["reason"].tolist() == [reason]


def test_a_trace_without_kernels_or_sizes_is_refused(tmp_path: Path) -> None:
    trace = Trace()
    with pytest.raises(rc.SpecError, match=r"profile with ProfilerActivity\.CUDA"):
        trace.read(tmp_path)
    trace.kernel("gemm", 7, {})
    with pytest.raises(rc.SpecError, match="profile with record_shapes=True"):
        trace.read(tmp_path)


def test_events_of_any_form_do_not_crash(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::mm", [[16, 64], [64, 32]], {"gemm": 7})
    junk: list[object] = [None, 3, [], {}, {"ph": "X"}, {"ph": "X", "cat": "kernel"}]
    junk += [{"ph": "X", "cat": "cpu_op", "args": [1]}, {"ph": "X", "cat": "kernel", "args": None}]
    junk += [{"ph": "X", "cat": "cpu_op", "ts": "x", "dur": {}, "args": {"Input Dims": 3}}]
    for name in ("pid", "tid", "name", "ts", "dur"):
        junk += [{**event, name: [1]} for event in trace.events[1:]]
    for name in ("External id", "correlation", "device", "Input Dims", "Input type"):
        for value in ([[1]], {}, 10**400, "x"):
            arguments = [dict(event["args"]) for event in trace.events[1:]]  # type: ignore[call-overload]
            pairs = zip(trace.events[1:], arguments, strict=True)
            junk += [{**event, "args": {**one, name: value}} for event, one in pairs]
    trace.events += junk  # type: ignore[arg-type]
    found = trace.read(tmp_path)
    assert sizes(rows(found, "gemm")[0]) == (16, 32, 64)


def test_sizes_beyond_counting_are_dropped(tmp_path: Path) -> None:
    trace = Trace()
    trace.op("aten::mm", [[2**40, 64], [64, 32]], {"gemm": 7})
    trace.op("aten::linear", [[2**40, 2**40, 64], [32, 64]], {"gemm": 7})
    found = trace.read(tmp_path)
    assert [row["m"] for row in rows(found, "gemm")] == [2**40]
    assert found.dropped["reason"].tolist() == ["m is too large"]


SUMMARY = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"


def nsys(folder: Path, *lines: str) -> "rc.measurements.Measurements":
    path = folder / "stats.csv"
    path.write_text("\n".join(["Processing [x.sqlite] with [y.py]...", "", *lines]) + "\n")
    return rc.read_measurements(path, gpu="h100")


def test_nsys_kernels_without_shapes_are_listed_and_counted(tmp_path: Path) -> None:
    found = nsys(
        tmp_path,
        SUMMARY,
        '60.0,600000,10,60000.0,59000.0,1,2,3,"void gemm_128x64<float, (int)4>(A, B)"',
        "30.0,300000,5,60000.0,59000.0,1,2,3,flash_fwd_kernel",
        "10.0,-1,5,60000.0,59000.0,1,2,3,broken",
    )
    assert found.tables == {}
    assert found.kernels["family"].tolist() == ["gemm", "attention"]
    first = found.kernels.iloc[0]
    assert first["name"] == "void gemm_128x64<float, (int)4>(A, B)"
    assert (first["instances"], first["total_us"], first["median_us"]) == (10, 600, 59)
    assert found.dropped["reason"].tolist() == [
        "gemm kernel without a shape",
        "attention kernel without a shape",
        "total time is negative",
    ]
    assert found.dropped["row"].tolist() == [4, 5, 6]
    assert [file.name for file in found.save(tmp_path / "out")] == [
        "h100_sxm__kernels.csv",
        "dropped.csv",
    ]


def test_nsys_reads_the_unit_of_its_columns(tmp_path: Path) -> None:
    found = nsys(tmp_path, SUMMARY.replace("(ns)", "(ms)"), "60.0,0.6,10,0.06,0.05,1,2,3,gemm")
    assert found.kernels["total_us"].tolist() == pytest.approx([600])


def test_nsys_trace_sums_up_kernels_by_grid(tmp_path: Path) -> None:
    header = "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,Device,Strm,Name"
    found = nsys(
        tmp_path,
        header,
        "100,2000,1,4,1,1,128,NVIDIA H100 80GB HBM3 (0),7,gemm",
        "200,4000,2,4,1,1,128,NVIDIA H100 80GB HBM3 (0),7,gemm",
        "300,9000,3,8,1,1,128,NVIDIA H100 80GB HBM3 (0),7,gemm",
        "400,100,4,,,,,NVIDIA H100 80GB HBM3 (0),7,[CUDA memcpy Host-to-Device]",
    )
    kernels = found.kernels
    assert kernels["grid"].tolist() == ["4 1 1", "8 1 1", ""]
    assert kernels["instances"].tolist() == [2, 1, 1]
    assert kernels["average_us"].tolist() == pytest.approx([3, 9, 0.1])
    assert kernels["gpu"].unique().tolist() == ["h100-sxm"]
    assert len(found.dropped) == 4


RANGES = "NVTX Range,Style,PID,TID,NVTX Inst,Kern Inst,Total Time (ns),Kernel Name"


def test_nsys_ranges_of_pytorch_have_shapes(tmp_path: Path) -> None:
    name = '":aten::mm, seq = 3, op_id = 12, sizes = [[16, 64], [64, 32]], input_op_ids = x"'
    found = nsys(
        tmp_path,
        RANGES,
        f"{name},PushPop,1,1,2,2,10000,nvjet_bf16_splitk",
        f"{name},PushPop,1,1,2,2,2000,splitKreduce_kernel",
        '":aten::mm, sizes = [[8, 64], [64, 32]]",PushPop,1,1,1,1,900,nvjet',
        '":aten::sort, sizes = [[8, 64]]",PushPop,1,1,1,1,900,sort',
        ":step 3,PushPop,1,1,1,1,900,gemm",
    )
    row = rows(found, "gemm")[0]
    assert (sizes(row), row["dtype"], row["latency_us"]) == ((16, 32, 64), "bf16", 6)
    assert row["kernel"] == "nvjet_bf16_splitk"
    assert found.dropped["reason"].tolist() == [
        "the kernel's name doesn't tell the number format",
        "NVTX range of an operator that is not read",
        "NVTX range without a shape",
    ]


def test_nsys_ranges_named_by_hand_have_any_family(tmp_path: Path) -> None:
    found = nsys(
        tmp_path,
        RANGES,
        ":roofcast gemm m=16 n=32 k=64 dtype=bfloat16,PushPop,1,1,4,4,8000,mine",
        ":roofcast gemm m=16 n=32 dtype=bf16,PushPop,1,1,4,4,8000,mine",
        ":roofcast gemm m=x n=32 k=64 dtype=bf16,PushPop,1,1,4,4,8000,mine",
        ":roofcast gemm m=1 n=32 k=64 dtype=bf16 q=3,PushPop,1,1,4,4,8000,mine",
        ":roofcast gme m=16,PushPop,1,1,4,4,8000,mine",
    )
    row = rows(found, "gemm")[0]
    assert (sizes(row), row["dtype"], row["latency_us"]) == ((16, 32, 64), "bf16", 2)
    assert found.dropped["reason"].tolist() == [
        "NVTX range without k",
        "NVTX range whose m can't be read",
        "NVTX range with unknown key 'q'",
        "NVTX range of unknown family 'gme'",
    ]


def test_nsys_with_a_column_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rc.SpecError, match="stats.csv:3: two columns 'avg'; remove one"):
        nsys(tmp_path, f"{SUMMARY},Avg (us)", "60.0,600000,10,60000.0,59000.0,1,2,3,gemm,60")


def test_nsys_whose_header_is_quoted_askew_is_refused(tmp_path: Path) -> None:
    header = SUMMARY.replace("Total Time (ns),Instances", '"Total Time (ns),Instances"')
    with pytest.raises(rc.SpecError, match="stats.csv:3: lacks the column 'instances'"):
        nsys(tmp_path, header, "60.0,600000,10,60000.0,59000.0,1,2,3,gemm")


def test_nsys_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rc.SpecError, match="stats.csv:3: has a header but no rows"):
        nsys(tmp_path, SUMMARY)
