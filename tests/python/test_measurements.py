# SPDX-License-Identifier: Apache-2.0
"""Reading raw measurements: what a file is, what is wrong with it, and what the command says."""

import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

import roofcast as rc

pandas = pytest.importorskip("pandas")

from roofcast.measurements.schemas import KERNELS, SCHEMAS, WHOLE, file_name  # noqa: E402

GEMM = "gpu,framework,dtype,m,n,k,latency_us\n"
ROW = "h100_sxm_80g,vllm,bf16,16,4096,1024,12.5\n"


def written(folder: Path, text: str | bytes, name: str = "gemm.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def reasons(found: "rc.measurements.Measurements") -> dict[int, str]:
    return dict(zip(found.dropped["row"], found.dropped["reason"], strict=True))


def test_a_common_table_passes_through(tmp_path: Path) -> None:
    path = written(tmp_path, GEMM + ROW)
    found = rc.read_measurements(path)
    assert found.forms == {str(path): "roofcast"}
    assert list(found.tables) == ["gemm"]
    row = found.tables["gemm"].iloc[0]
    assert (row["gpu"], row["framework"], row["dtype"]) == ("h100-sxm", "vllm", "bf16")
    assert (row["m"], row["n"], row["k"], row["latency_us"]) == (16, 4096, 1024, 12.5)
    assert (row["file"], row["row"]) == ("gemm.csv", 2)
    assert len(found.dropped) == 0


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ("bf16,16,4096,1024,-3", "latency_us is negative"),
        ("bf16,16,4096,1024,0", "latency_us is zero"),
        ("bf16,16,4096,1024,NaN", "no latency_us"),
        ("bf16,16,4096,1024,", "no latency_us"),
        ("bf16,16,4096,1024,inf", "latency_us is no number"),
        ("bf16,16,4096,1024,12.5us", "latency_us is no number"),
        ("bf17,16,4096,1024,12.5", "dtype 'bf17' is unknown"),
        (",16,4096,1024,12.5", "no dtype"),
        ("bf16,0,4096,1024,12.5", "m is below 1"),
        ("bf16,1.5,4096,1024,12.5", "m is no whole number"),
        ("bf16,1e30,4096,1024,12.5", "m is too large for a size"),
        ("bf16,16,4096,1024", "not as many cells as the header"),
        ("bf16,16,4096,1024,12.5,7", "not as many cells as the header"),
    ],
)
def test_a_bad_row_is_dropped_with_its_line_and_reason(
    cells: str, reason: str, tmp_path: Path
) -> None:
    path = written(tmp_path, GEMM + ROW + f"h100,vllm,{cells}\n" + ROW)
    found = rc.read_measurements(path)
    assert reasons(found) == {3: reason}
    assert list(found.tables["gemm"]["row"]) == [2, 4]


def test_of_many_dropped_rows_the_first_are_named(tmp_path: Path) -> None:
    path = written(tmp_path, GEMM + ROW + "h100,vllm,bf16,1,1,1,-1\n" * 7)
    found = rc.read_measurements(path)
    assert len(found.dropped) == 7
    text = "7 dropped  gemm.csv: latency_us is negative (rows 3, 4, 5, 6, 7, ...)"
    assert text in str(found)


def test_rows_of_another_gpu_are_dropped(tmp_path: Path) -> None:
    path = written(tmp_path, GEMM + ROW + ROW.replace("h100_sxm_80g", "a100"))
    found = rc.read_measurements(path, gpu="h100")
    assert reasons(found) == {3: "measured on a100-sxm, not on h100-sxm"}
    assert list(found.tables["gemm"]["gpu"]) == ["h100-sxm"]


def test_the_gpu_that_a_file_does_not_name_is_asked_for(tmp_path: Path) -> None:
    path = written(tmp_path, "dtype,m,n,k,latency_us\nbf16,1,2,3,4\n")
    assert "The GPU of gemm is not recorded; name it with gpu." in str(rc.read_measurements(path))
    named = rc.read_measurements(path, gpu="NVIDIA H100 80GB HBM3", framework="mine")
    assert named.tables["gemm"]["gpu"].tolist() == ["h100-sxm"]
    assert named.tables["gemm"]["framework"].tolist() == ["mine"]
    assert "not recorded" not in str(named)


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: gzip.compress(text.encode()),
        lambda text: text.replace("\n", "\n\n").rstrip().encode(),
    ],
    ids=["byte-order mark", "CRLF", "UTF-16", "gzip", "empty lines"],
)
def test_ways_of_writing_text_make_no_difference(encode, tmp_path: Path) -> None:
    found = rc.read_measurements(written(tmp_path, encode(GEMM + ROW)))
    assert found.tables["gemm"]["latency_us"].tolist() == [12.5]
    assert found.tables["gemm"]["gpu"].tolist() == ["h100-sxm"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty; name a file"),
        (b" \n\n", "is empty; name a file"),
        (b'""\n\n', "has only empty lines; name a file"),
        (GEMM.encode(), "has a header but no rows; name a file with rows"),
        (GEMM.encode() + b"h\xff00,vllm,bf16,1,1,1,1\n", ":2: is not UTF-8; save the file"),
        (GEMM.encode() + b"h100,\0,bf16,1,1,1,1\n", ":2: has a NUL character"),
        (GEMM.encode() + b'h100,"vllm,bf16,1,1,1,1\n', ":2: is no comma-separated row"),
        (b"m,n,k,dtype,m,latency_us\n1,1,1,bf16,1,1\n", ":1: two columns 'm'; remove one"),
        (b"m,n,dtype,latency_us\n1,1,bf16,1\n", "lacks the column k; these forms are read"),
        (b"m,n,k,dtype\n1,1,1,bf16\n", "lacks the column latency_us; these forms are read"),
        (b"name,colour\nx,red\n", "is no table of measurements that is known; these forms"),
        (b"hello\n", "is no table of measurements that is known; these forms"),
        (b'{"a": 1}', "is JSON of no form that is read"),
        (b'{"traceEvents": [{"ph": "X",', ":1: is JSON that is damaged or was cut off"),
        (b"[" * 100_000, "is JSON that is damaged or was cut off"),
        (b"PAR1" + bytes(100), "is a Parquet file that was cut off; copy it again"),
        (gzip.compress(GEMM.encode() * 1000)[:-20], "is cut off or damaged gzip; copy it again"),
    ],
)
def test_a_bad_file_is_refused_with_the_cure(
    content: bytes, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(rc.SpecError) as caught:
        rc.read_measurements(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)


def test_paths_are_checked(tmp_path: Path) -> None:
    path = written(tmp_path, GEMM + ROW)
    with pytest.raises(rc.NotFoundError, match="none.csv: no such file; check the path"):
        rc.read_measurements(tmp_path / "none.csv")
    with pytest.raises(rc.ArgumentError, match="is a folder; name its files"):
        rc.read_measurements(tmp_path)
    with pytest.raises(rc.ArgumentError, match="given twice; name each file once"):
        rc.read_measurements([path, str(path)])
    with pytest.raises(rc.ArgumentError, match="no file; name at least one"):
        rc.read_measurements([])
    with pytest.raises(rc.ArgumentError, match="^paths: 3 is no path"):
        rc.read_measurements([3])  # type: ignore[list-item]
    with pytest.raises(rc.NotFoundError, match="nobody-makes-this"):
        rc.read_measurements(path, gpu="nobody-makes-this")


def test_files_are_joined_by_family(tmp_path: Path) -> None:
    first = written(tmp_path, GEMM + ROW, "a.csv")
    second = written(tmp_path, GEMM + ROW.replace("h100", "h200").replace("80g", "141g"), "b.csv")
    found = rc.read_measurements([first, second])
    assert found.tables["gemm"]["file"].tolist() == ["a.csv", "b.csv"]
    files = found.save(tmp_path / "out")
    assert [file.name for file in files] == ["h100_sxm__gemm.csv", "h200_sxm__gemm.csv"]


def test_what_is_saved_reads_back_the_same(tmp_path: Path) -> None:
    found = rc.read_measurements(written(tmp_path, GEMM + ROW + "h100,vllm,bf16,1,1,1,-1\n"))
    files = found.save(tmp_path / "out")
    assert [file.name for file in files] == ["h100_sxm__gemm.csv", "dropped.csv"]
    again = rc.read_measurements(files[0])
    columns = SCHEMAS["gemm"]
    assert again.tables["gemm"][columns].equals(found.tables["gemm"][columns])
    assert "gemm.csv,3,latency_us is negative" in files[1].read_text()


def test_calibration_takes_what_is_saved(tmp_path: Path) -> None:
    try:
        from roofcast import calibration
    except ImportError:
        pytest.skip("built without ROOFCAST_CALIBRATION")
    rows = "".join(
        f"h100,lab,bf16,{m},{n},{n},{2e6 * m * n * n / 7e14 + 1e6 * 2 * n * n / 2.8e12 + 3}\n"
        for n in (512, 1024, 2048, 4096, 8192)
        for m in (1, 16, 256, 4096)
    )
    file = rc.read_measurements(written(tmp_path, GEMM + rows)).save(tmp_path / "out")[0]
    assert calibration.calibrate(file, device="h100-sxm").series == ("gemm bf16",)


def test_names_of_tables_are_safe_and_columns_known() -> None:
    assert file_name("NVIDIA ../weird/GPU", "gemm") == "nvidia____weird_gpu__gemm.csv"
    assert file_name("", "moe") == "unknown__moe.csv"
    assert file_name("a100-sxm", "vidur_gemm") == "a100_sxm_vidur__gemm.csv"
    assert {name for columns in SCHEMAS.values() for name in columns} > WHOLE - {"row", "repeats"}
    assert "name" in KERNELS


def test_parquet_without_pyarrow_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(rc.Error, match=r"pip install 'roofcast\[parquet\]'"):
        rc.read_measurements(written(tmp_path, b"PAR1" + bytes(40) + b"PAR1"))


def test_damaged_parquet_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow, which isn't installed")
    with pytest.raises(rc.SpecError, match="is damaged Parquet .*; copy it again"):
        rc.read_measurements(written(tmp_path, b"PAR1" + bytes(40) + b"PAR1"))


def test_parquet_reads_as_the_same_text_does(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="Parquet needs pyarrow, which isn't installed")
    frame = pandas.DataFrame(
        {"dtype": ["bf16", "fp8", None], "m": [1, 2, 3], "n": [8, 8, 8], "k": [4, 4, 4]}
        | {"latency_us": [3.5, float("nan"), 4.0]}
    )
    frame.to_parquet(tmp_path / "gemm.parquet")
    found = rc.read_measurements(tmp_path / "gemm.parquet", gpu="h100")
    assert found.tables["gemm"]["latency_us"].tolist() == [3.5]
    assert reasons(found) == {2: "no latency_us", 3: "no dtype"}
    data = (tmp_path / "gemm.parquet").read_bytes()
    with pytest.raises(rc.SpecError, match="was cut off; copy it again"):
        rc.read_measurements(written(tmp_path, data[: len(data) // 2], "cut.parquet"))


def run(*words: object) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "roofcast.measurements", *map(str, words)]
    return subprocess.run(arguments, capture_output=True, text=True, check=False, cwd=ROOT)


def test_the_command_reports_and_writes(tmp_path: Path) -> None:
    path = written(tmp_path, GEMM + ROW + "h100,vllm,bf16,1,1,1,-1\n")
    done = run(path, "--output", tmp_path / "out", "--gpu", "h100")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        f"{path}: roofcast",
        "       1 rows  gemm",
        "       1 dropped  gemm.csv: latency_us is negative (row 3)",
        f"wrote {tmp_path / 'out/h100_sxm__gemm.csv'}",
        f"wrote {tmp_path / 'out/dropped.csv'}",
    ]


def test_the_command_refuses_bad_input_with_status_2(tmp_path: Path) -> None:
    done = run(tmp_path / "none.csv")
    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path / 'none.csv'}: no such file; check the path\n"
    nothing = run(written(tmp_path, GEMM + "h100,vllm,bf16,1,1,1,-1\n"))
    assert nothing.returncode == 2
    assert nothing.stderr == "error: no row can be used; the reasons stand above\n"
    assert "1 dropped" in nothing.stdout
    path = written(tmp_path, GEMM + ROW)
    full = run(path, "--output", path / "below")
    assert full.returncode == 1
    assert "can't be written" in full.stderr
    assert "Traceback" not in full.stderr
