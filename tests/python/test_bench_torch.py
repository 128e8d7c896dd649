# SPDX-License-Identifier: Apache-2.0
"""The PyTorch benchmark: its grid, tables and messages. Only the last test needs PyTorch."""

import csv
import importlib
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from types import SimpleNamespace

import pytest

from roofcast import bench_torch as bench


@pytest.mark.parametrize("full", [False, True])
def test_grid_holds_each_shape_once_and_grows(full: bool) -> None:
    cases = bench.all_cases(full, ["bf16", "fp32"], list(bench.COLUMNS))
    assert {case.family for case in cases} == set(bench.COLUMNS)
    assert len({(case.family, *case.shape.values()) for case in cases}) == len(cases)
    assert len(cases) > (2000 if full else 200)
    for case in cases:
        assert bench.rotated_bytes(case) > 0
        if case.family.startswith("attention"):
            assert case.heads % case.kv_heads == 0
            assert (case.q_len == 1) == (case.phase == "decode")


def test_only_the_families_asked_for_are_measured() -> None:
    cases = bench.all_cases(False, ["bf16"], ["attention_decode"])
    assert {case.family for case in cases} == {"attention_decode"}


def test_every_column_of_a_row_has_its_place_in_the_table(tmp_path: Path) -> None:
    measured = bench.summary([10.0, 20.0, 30.0], 2) | {
        "kernel": "k", "copies": 5, "timing": "loop"}  # fmt: skip
    for case in bench.all_cases(False, ["bf16"], list(bench.COLUMNS)):
        assert set(case.shape | measured) | {"gpu", "source", "framework", "version"} == set(
            bench.COLUMNS[case.family]
        )
    case = bench.all_cases(False, ["bf16"], ["gemm"])[0]
    path = bench.write_table(tmp_path, "gemm", "h100-sxm", "2.5", [case.shape | measured])
    assert path.name == "h100-sxm__gemm.csv"
    with path.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["latency_us"] == "10.0"
    assert (row["dtype"], row["m"], row["n"], row["k"]) == ("bf16", "1", "1024", "1024")


def test_calibrate_reads_the_tables(tmp_path: Path) -> None:
    try:
        calibrate = importlib.import_module("roofcast.calibration").calibrate
    except ImportError as error:
        pytest.skip(str(error))
    time = {"kernel": "k", "copies": 5, "timing": "loop", "spread": 0, "repeats": 6}
    rows = [
        case.shape | time | {"latency_us": 3 + 1e-9 * case.m * case.n * case.k + 1e-6 * case.n * case.k}
        for case in bench.all_cases(True, ["bf16"], ["gemm"])
    ]
    path = bench.write_table(tmp_path, "gemm", "h100-sxm", "2.5", rows)
    assert calibrate(path, device="h100-sxm")


def test_median_and_spread_are_those_of_the_repeats() -> None:
    row = bench.summary([100.0, 900.0, 110.0, 120.0, 105.0], 10)
    assert row["latency_us"] == 11.0
    assert row["spread"] == 0.136  # quartiles 105 and 120 over 110
    assert row["repeats"] == 5
    assert bench.summary([7.0], 1) == {"latency_us": 7.0, "spread": 0.0, "repeats": 1}


def test_a_round_takes_every_copy_as_often() -> None:
    assert bench.per_round(2.0, 5, 500) == 200
    assert bench.per_round(100.0, 3, 500) == 6
    assert bench.per_round(1e6, 1, 500) == 1


def test_devices_are_called_what_the_catalog_calls_them() -> None:
    assert bench.catalog_name("NVIDIA H100 80GB HBM3") == "h100-sxm"
    assert bench.catalog_name("NVIDIA GeForce RTX 4090") == "rtx-4090"
    assert bench.catalog_name("Somebody's Chip (9/x)") == "somebody-s-chip-9-x"
    assert bench.catalog_name("") == "unknown-device"


def test_what_cannot_run_is_counted_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("out of memory\nand a long trace")

    class Mode:
        def __enter__(self) -> None: ...
        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(bench, "measure", refuse)
    cases = bench.all_cases(False, ["bf16"], ["gemm"])
    torch = SimpleNamespace(inference_mode=Mode)
    assert bench.measure_all(torch, cases, "cpu", Namespace()) == {}
    assert f"skipped {len(cases)}: gemm: out of memory\n" in capsys.readouterr().err


def test_without_pytorch_the_message_says_what_to_install() -> None:
    program = "import sys; sys.modules['torch'] = None\nfrom roofcast.bench_torch import main\n"
    done = subprocess.run([sys.executable, "-c", program + "sys.exit(main(['--device', 'cpu']))"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "install PyTorch" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", [["--copies", "0"], ["--grid", "huge"], ["--repeats", "x"]])
def test_flags_that_cannot_be_used_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        bench.main(words)
    assert refused.value.code == 2


def test_pytorch_on_the_cpu_fills_every_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch", reason="PyTorch isn't installed")
    small = {
        "gemm": {"dtype": "fp32", "m": 3, "n": 16, "k": 8},
        "attention_prefill": {"phase": "prefill", "q_len": 4, "kv_len": 4},
        "attention_decode": {"phase": "decode", "q_len": 1, "kv_len": 9},
        "elementwise": {"op": "add", "dtype": "fp32", "rows": 2, "cols": 8, "bytes_rw": 192},
    }
    attention = {"dtype": "fp32", "kv_dtype": "fp32", "batch": 1, "heads": 4, "kv_heads": 4,
                 "head_dim": 8, "window": 0}  # fmt: skip
    cases = [
        bench.Case(family, shape | (attention if family.startswith("attention") else {}))
        for family, shape in small.items()
    ]
    monkeypatch.setattr(bench, "all_cases", lambda *_: cases)
    assert bench.main(["--device", "cpu", "--gpu", "test", "--output", str(tmp_path)]) == 0
    for family in small:
        with (tmp_path / f"test__{family}.csv").open(newline="") as file:
            (row,) = csv.DictReader(file)
        assert float(row["latency_us"]) > 0
