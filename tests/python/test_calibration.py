# SPDX-License-Identifier: Apache-2.0
"""roofcast.calibration: measured rows in, a fit file out that predictions read."""

import math
from pathlib import Path

import pytest

import roofcast as rc

try:
    from roofcast import calibration
except ImportError:
    pytest.skip("built without ROOFCAST_CALIBRATION", allow_module_level=True)

SHAPES = [(n, k) for n in (512, 1024, 4096, 8192) for k in (512, 2048, 8192)]
INTERCEPT, COMPUTE, MEMORY, OVERLAP = 2.5e-6, 0.78, 0.86, 3.0


def seconds(m: int, n: int, k: int) -> float:
    """The GEMM formula with known coefficients, on H100's datasheet."""
    device = rc.load_device("h100-sxm")
    compute = 2 * m * n * k / (COMPUTE * device.peak_flops_per_s["bf16"])
    traffic = 2 * (m * k + n * k + m * n)
    memory = traffic / (MEMORY * device.memory.bandwidth_bytes_per_s)
    return INTERCEPT + (compute**OVERLAP + memory**OVERLAP) ** (1 / OVERLAP)


def write_table(path: Path, rows: list[tuple[int, int, int]]) -> Path:
    lines = ["gpu,dtype,m,n,k,latency_us"]
    lines += [f"h100_sxm_80g,bf16,{m},{n},{k},{1e6 * seconds(m, n, k)!r}" for m, n, k in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = [(m, n, k) for n, k in SHAPES for m in (1, 16, 128, 1024, 8192)]
    return write_table(tmp_path_factory.mktemp("calibration") / "gemm.csv", rows)


@pytest.fixture(scope="module")
def fit(table: Path) -> "calibration.Calibration":
    return calibration.calibrate(table, device="h100-sxm")


def test_known_coefficients_come_back(fit: "calibration.Calibration") -> None:
    assert fit.device == "h100-sxm"
    assert fit.families == ("gemm",)
    found = fit.coefficients["gemm"]
    assert found["intercept_s"] == pytest.approx(INTERCEPT, rel=1e-4)
    assert found["compute_efficiency"] == pytest.approx(COMPUTE, rel=1e-4)
    assert found["memory_efficiency"] == pytest.approx(MEMORY, rel=1e-4)
    assert found["overlap_exponent"] == pytest.approx(OVERLAP, rel=1e-3)
    assert set(fit.status["gemm"].values()) == {"fitted"}
    assert all(error is not None for error in fit.standard_errors["gemm"].values())


def test_errors_stand_beside_the_baselines(fit: "calibration.Calibration") -> None:
    errors = fit.errors["gemm"]
    assert list(errors) == ["datasheet", "assumed", "in_sample", "cross_validated"]
    assert errors["cross_validated"]["mape"] < 0.1 < errors["assumed"]["mape"]
    assert fit.to_dict()["families"][0]["errors"] == errors
    assert fit.to_dict()["schema"] == "roofcast/1"
    assert "cross-validated" in str(fit)
    assert repr(fit) == "<Calibration of h100-sxm: gemm>"


def test_saved_fit_changes_a_prediction(fit: "calibration.Calibration", tmp_path: Path) -> None:
    file = tmp_path / "h100.yaml"
    fit.save(file)
    llm, cluster = rc.load_llm("llama-3.1-8b"), rc.load_cluster("h100-sxm", devices=1)
    assumed = rc.predict_decode(llm, cluster, context=1024)
    fitted = rc.predict_decode(llm, cluster, context=1024, fits=file)
    assert math.isfinite(fitted.time_s)
    assert fitted.time_s < assumed.time_s
    assert "fitted" in {source.kind for source in fitted.sources()}


def test_device_and_paths_take_several_forms(table: Path, fit: "calibration.Calibration") -> None:
    again = calibration.calibrate([str(table)], device=rc.load_device("h100-sxm"))
    assert again.coefficients == fit.coefficients


def test_what_is_wrong_is_said(table: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("m,n,k,dtype,latency_us\n1,2,3,bf16,-4\n")
    with pytest.raises(rc.SpecError, match="'-4' is not positive") as caught:
        calibration.calibrate(bad, device="h100-sxm")
    assert [(problem.line, problem.key_path) for problem in caught.value.problems] == [
        (2, "latency_us")
    ]
    few = write_table(tmp_path / "few.csv", [(1, 512, 512)])
    with pytest.raises(rc.ArgumentError, match="^gemm: only 1 usable row of 1 shape; a fit needs"):
        calibration.calibrate(few, device="h100-sxm")
    with pytest.raises(rc.NotFoundError, match="no such file"):
        calibration.calibrate(tmp_path / "none.csv", device="h100-sxm")
    with pytest.raises(rc.NotFoundError, match="h100-sxm"):
        calibration.calibrate(table, device="h100-smx")
    with pytest.raises(rc.ArgumentError, match="^paths: '3' is no path; use a str or a Path"):
        calibration.calibrate(3, device="h100-sxm")
    with pytest.raises(rc.ArgumentError, match="^no data"):
        calibration.calibrate([], device="h100-sxm")


def test_a_fit_that_cannot_be_written_is_an_os_error(
    fit: "calibration.Calibration", tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="is a folder"):
        fit.save(tmp_path)
