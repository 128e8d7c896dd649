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


def test_what_was_fitted_is_named_and_predicts_unseen_shapes(fit: "calibration.Calibration") -> None:
    assert fit.device == "h100-sxm"
    assert fit.series == ("gemm bf16",)
    coefficients = fit.coefficients["gemm bf16"]
    assert coefficients["intercept"] == pytest.approx(1e6 * INTERCEPT, rel=0.5)  # microseconds
    assert coefficients.keys() == fit.standard_errors["gemm bf16"].keys()
    assert set(fit.status["gemm bf16"].values()) <= {"fitted", "at_bound", "not_identified"}
    assert "fitted" in fit.status["gemm bf16"].values()
    assert fit.skipped_rows == {}


def test_errors_stand_beside_the_baselines(fit: "calibration.Calibration") -> None:
    errors = fit.errors["gemm bf16"]
    assert set(errors) == {"datasheet", "roofline", "in_sample", "analytical", "hybrid"}
    # The times were made by a roofline: two efficiencies and a launch explain them to the digit.
    assert errors["roofline"]["mape"] < 0.5 < errors["datasheet"]["mape"]
    assert errors["hybrid"]["mape"] < errors["datasheet"]["mape"]
    assert fit.to_dict()["series"][0]["errors"] == errors
    assert fit.to_dict()["schema"] == "roofcast/1"
    assert "cross-validated" in str(fit)
    assert repr(fit) == "<Calibration of h100-sxm: gemm bf16>"


def test_saved_fit_changes_a_prediction(fit: "calibration.Calibration", tmp_path: Path) -> None:
    file = tmp_path / "h100.yaml"
    fit.save(file)
    llm, cluster = rc.load_llm("llama-3.1-8b"), rc.load_cluster("h100-sxm", devices=1)
    assumed = rc.predict_decode(llm, cluster, context=1024, fits="assumed")
    fitted = rc.predict_decode(llm, cluster, context=1024, fits=file)
    assert math.isfinite(fitted.time_s)
    assert fitted.time_s != assumed.time_s
    assert assumed.interval_s is None
    low, high = fitted.interval_s
    assert 0 < low < fitted.time_s < high
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
    with pytest.raises(rc.ArgumentError, match="nothing can be fitted: .*only 1 row of 1 shape; a fit needs"):
        calibration.calibrate(few, device="h100-sxm")
    with pytest.raises(rc.NotFoundError, match="no such file"):
        calibration.calibrate(tmp_path / "none.csv", device="h100-sxm")
    with pytest.raises(rc.NotFoundError, match="h100-sxm"):
        calibration.calibrate(table, device="h100-smx")
    with pytest.raises(rc.ArgumentError, match="^paths: '3' is no path; use a str or a Path"):
        calibration.calibrate(3, device="h100-sxm")
    with pytest.raises(rc.ArgumentError, match="^no data"):
        calibration.calibrate([], device="h100-sxm")
    with pytest.raises(rc.ArgumentError, match="family 'gem' can't be fitted; there are"):
        calibration.calibrate(table, device="h100-sxm", families="gem")
    with pytest.raises(rc.ArgumentError, match="^families: '3' are no names; use a list of str"):
        calibration.calibrate(table, device="h100-sxm", families=3)
    with pytest.raises(rc.ArgumentError, match="nothing can be fitted: .*another family"):
        calibration.calibrate(table, device="h100-sxm", families=["decode"])


def test_a_fit_that_cannot_be_written_is_an_os_error(
    fit: "calibration.Calibration", tmp_path: Path
) -> None:
    with pytest.raises(OSError, match="is a folder"):
        fit.save(tmp_path)
