# SPDX-License-Identifier: Apache-2.0
"""Importer of nccl-tests: its text of several years, and its JSON."""

import json
from pathlib import Path

import pytest

import roofcast as rc

pytest.importorskip("pandas")


def ranks(count: int, hosts: int = 1) -> list[str]:
    return [
        f"#  Rank {rank:2} Group  0 Pid {300 + rank:6} on host{rank % hosts} device {rank:2}"
        " [0000:18:00] NVIDIA H100 80GB HBM3"
        for rank in range(count)
    ]


PARAMETERS = "# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5"
HEADER = "#       size         count      type   redop    root     time   algbw   busbw #wrong"
HEADER += "     time   algbw   busbw #wrong"
ROW = "        1024           256     float     sum      -1    12.50    0.08    0.15      0"
ROW += "    12.10    0.08    0.15      0"


def log(*rows: str, op: str = "all_reduce", header: str = HEADER, devices: int = 8) -> str:
    start = ["# nccl-tests version 2.17 nccl-headers=22703 nccl-library=22703"]
    start += [f"# Collective test starting: {op}_perf"] if op else []
    start += [PARAMETERS, "#", "# Using devices", *ranks(devices), "#"]
    end = ["# Out of bounds values : 0 OK", "# Avg bus bandwidth    : 6.6", ""]
    return "\n".join([*start, header, "#        (B)    (elements)", *rows, *end])


def read(folder: Path, text: str, name: str = "run.log") -> "rc.measurements.Measurements":
    path = folder / name
    path.write_text(text)
    return rc.read_measurements(path)


def test_a_log_names_operation_devices_and_version(tmp_path: Path) -> None:
    found = read(tmp_path, log(ROW))
    row = found.tables["collectives"].iloc[0]
    assert (row["op"], row["bytes"], row["latency_us"], row["dtype"]) == (
        "all_reduce",
        1024,
        12.5,
        "fp32",
    )
    assert (row["gpu"], row["num_gpus"], row["nodes"]) == ("h100-sxm", 8, 1)
    assert (row["framework"], row["version"], row["impl"]) == ("nccl", "2.27.3", "nccl-tests")
    assert len(found.dropped) == 0


@pytest.mark.parametrize(
    ("header", "row"),
    [
        # 2021: no root, errors instead of wrong results.
        (
            "#       size         count      type   redop     time   algbw   busbw  error"
            "     time   algbw   busbw  error",
            "  1024   256  half  sum  12.50  0.08  0.15  0e+00  12.1  0.08  0.15  0e+00",
        ),
        # 2.0: no reduction.
        (
            "#       size         count      type     time   algbw   busbw  error"
            "     time   algbw   busbw  error",
            "  1024   256  half  12.50  0.08  0.15  0e+00  12.1  0.08  0.15  0e+00",
        ),
        # Unchecked, alltoall: no in-place figures.
        (HEADER, "  1024   256  half  none  -1  12.50  0.08  0.15  N/A  N/A  N/A  N/A  N/A"),
        # -I: figures of single iterations.
        (
            HEADER.replace("#wrong ", "#wrong i_min i_max i_p99 i_cv% ", 1) + " i_min",
            "  1024  256  half  sum  -1  12.50  0.08  0.15  0  1.0  2.0  2.0  9.0  12.1  1  1  0 1",
        ),
    ],
    ids=["2021", "2.0", "unchecked", "iterations"],
)
def test_layouts_of_several_years_are_read(header: str, row: str, tmp_path: Path) -> None:
    found = read(tmp_path, log(row, header=header))
    assert found.tables["collectives"]["latency_us"].tolist() == [12.5]
    assert found.tables["collectives"]["dtype"].tolist() == ["fp16"]


def test_lines_that_mpirun_prefixes_are_read(tmp_path: Path) -> None:
    text = "\n".join(f"[1,0]<stdout>:{line}" for line in log(ROW).splitlines())
    assert len(read(tmp_path, text).tables["collectives"]) == 1


def test_hosts_are_nodes(tmp_path: Path) -> None:
    text = log(ROW).replace("\n".join(ranks(8)), "\n".join(ranks(16, hosts=2)))
    row = read(tmp_path, text).tables["collectives"].iloc[0]
    assert (row["num_gpus"], row["nodes"]) == (16, 2)


def test_several_programs_in_a_log_keep_apart(tmp_path: Path) -> None:
    text = log(ROW) + log(ROW.replace("sum", "none"), op="all_gather", devices=4)
    table = read(tmp_path, text).tables["collectives"]
    assert table[["op", "num_gpus"]].apply(tuple, axis=1).tolist() == [
        ("all_reduce", 8),
        ("all_gather", 4),
    ]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (ROW.replace("12.50", "0.00"), "time is not positive"),
        (ROW.replace("12.50", "-1.0"), "time is not positive"),
        (ROW.replace("12.50", "nan"), "time is no number"),
        (ROW.replace("0.15      0", "0.15      3", 1), "the test found wrong results"),
        (ROW.replace("float", "posit"), "type 'posit' is unknown"),
        (ROW[:60], "the row is cut off"),
        ("        1024   256", "the row is cut off"),
        (ROW.replace("1024", "   0", 1), "size is not positive"),
    ],
)
def test_a_bad_row_is_dropped_with_its_line(row: str, reason: str, tmp_path: Path) -> None:
    text = log(ROW, row)
    found = read(tmp_path, text)
    line = next(n for n, one in enumerate(text.splitlines(), 1) if one == row)
    assert found.dropped[["row", "reason"]].apply(tuple, axis=1).tolist() == [(line, reason)]
    assert len(found.tables["collectives"]) == 1


def test_a_log_that_lacks_its_lines_is_refused_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(rc.SpecError, match=r"put the program's name into the file's name"):
        read(tmp_path, log(ROW, op=""))
    named = read(tmp_path, log(ROW, op=""), "reduce_scatter_perf.log")
    assert named.tables["collectives"]["op"].tolist() == ["reduce_scatter"]
    with pytest.raises(rc.SpecError, match=r"run.log:7: .*keep its lines '#  Rank  0"):
        read(tmp_path, log(ROW, devices=0))
    with pytest.raises(rc.SpecError, match="has a header but no rows"):
        read(tmp_path, log())
    with pytest.raises(rc.SpecError, match="devices of several kinds"):
        read(tmp_path, log(ROW).replace("H100 80GB HBM3", "H200", 1))


def document() -> "dict[str, object]":
    times = {"time": 12.5, "alg_bw": 0.08, "bus_bw": 0.15, "nwrong": 0.0}
    result = {"size": 1024, "count": 256, "type": "half", "redop": "sum", "root": "-1"}
    devices = [
        {"rank": rank, "hostname": "a", "device": rank, "device_info": "NVIDIA H200"}
        for rank in range(4)
    ]
    return {
        "version": 1,
        "args": ["./build/all_reduce_perf", "-J", "out.json"],
        "nccl_version": 22809,
        "config": {"nthreads": 1, "ngpus": 4, "devices": devices},
        "results": [result | {"out_of_place": times, "in_place": times}],
    }


def test_json_reads_as_the_text_does(tmp_path: Path) -> None:
    content = document()
    results = content["results"]
    assert isinstance(results, list)
    good = results[0]
    results += [good | {"out_of_place": None}]
    results += [good | {"out_of_place": good["out_of_place"] | {"time": "nan"}}]
    results += [good | {"out_of_place": good["out_of_place"] | {"nwrong": None}}]
    found = read(tmp_path, json.dumps(content), "out.json")
    table = found.tables["collectives"]
    assert len(table) == 2
    row = table.iloc[0]
    assert (row["op"], row["bytes"], row["latency_us"], row["version"]) == (
        "all_reduce",
        1024,
        12.5,
        "2.28.9",
    )
    assert (row["gpu"], row["num_gpus"], row["nodes"], row["dtype"]) == ("h200-sxm", 4, 1, "fp16")
    assert found.dropped["reason"].tolist() == ["no out-of-place result", "time is no number"]


def test_json_of_any_form_does_not_crash(tmp_path: Path) -> None:
    for key, value in [("results", 3), ("config", []), ("args", 3)]:
        with pytest.raises(rc.SpecError):
            read(tmp_path, json.dumps(document() | {key: value}), "out.json")
    found = read(tmp_path, json.dumps(document() | {"results": [3]}), "out.json")
    assert found.dropped["reason"].tolist() == ["no out-of-place result"]
