# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import csv
import subprocess

import pytest

HELP = "; 'roofcast bench --help' lists the flags"


@pytest.fixture(autouse=True)
def needs_calibrate(roofcast) -> None:
    if not (roofcast.program.parent / "roofcast-calibrate").exists():
        pytest.skip("built without calibration")


@pytest.fixture
def measures(roofcast) -> None:
    done = roofcast("bench", "--threads", "999")
    if "libdnnl-dev" in done.stderr:
        pytest.skip("built without oneDNN")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--threats", "2"], "--threats: unknown flag; did you mean '--threads'?"),
        (["--frobnicate"], f"--frobnicate: unknown flag{HELP}"),
        (["out.csv"], "'out.csv': bench takes flags alone; --output names a folder"),
        (["--threads"], "--threads: has no value; write --threads N"),
        (["--threads", "--quick"], "--threads: has no value; write --threads N"),
        (["--threads", "0"], "--threads: '0' is not a count from 1 to 4096"),
        (["--threads", "two"], "--threads: 'two' is not a count from 1 to 4096"),
        (["--repeats", "4"], "--repeats: '4' is not a count from 5 to 1000"),
        (["--quick", "--quick"], "--quick: given twice; keep one of them"),
        (["--quick=yes"], "--quick: takes no value; write --quick alone"),
        (["--family", "gem"], "--family: no family 'gem'; did you mean 'gemm'?"),
        (
            ["--family", "x"],
            "--family: no family 'x'; there are gemm, gemv, memory, attention or elementwise",
        ),
        (
            ["--family", "gemm", "--end-to-end"],
            "--family and --end-to-end: contradict each other; a model needs every family",
        ),
    ],
)
def test_bad_flags_name_the_cure(roofcast, words: list[str], message: str) -> None:
    assert roofcast.refusal("bench", *words) == f"roofcast bench: {message}"


def test_help_is_the_same_however_it_is_asked_for(roofcast) -> None:
    text = roofcast.text("bench", "--help")
    assert text.startswith("roofcast bench: measure the processor that this runs on\n")
    assert roofcast.text("help", "bench") == text
    assert roofcast.text("bench", "--quick", "-h") == text


@pytest.mark.usefixtures("measures")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--threads", "4096"], "--threads: 4096: this process may use "),
        (["--name", "My CPU"], "--name: 'My CPU': a device has small letters, digits and '-' alone"),
    ],
)
def test_what_this_machine_lacks_is_refused(
    roofcast, words: list[str], message: str
) -> None:
    assert roofcast.refusal("bench", *words).startswith(f"roofcast bench: {message}")


def run(roofcast, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [roofcast.program, *words],
        cwd=roofcast.folder,
        env=roofcast.environment,
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.usefixtures("measures")
def test_measured_tables_are_fitted_and_predict(roofcast) -> None:
    """The whole chain on a small case: bench, calibrate, predict. Its mechanism, not its figures."""
    words = ("bench", "--quick", "--threads", "1", "--family", "gemv,gemm", "--name", "test-cpu")
    done = run(roofcast, *words, "--output", "kept")
    assert (done.returncode, done.stderr) == (0, "")  # no progress: stderr is no terminal
    assert "The machine was" in done.stdout
    assert "roofcast calibrate kept/gemm.csv --device kept/test_cpu.yaml" in done.stdout
    kept = roofcast.folder / "kept"
    assert sorted(path.name for path in kept.iterdir()) == ["gemm.csv", "test_cpu.yaml"]
    with (kept / "gemm.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert {row["gpu"] for row in rows} == {"test-cpu"}
    assert all(float(row["latency_us"]) > 0 and int(row["repeats"]) >= 5 for row in rows)
    assert "fp32" in {row["dtype"] for row in rows}

    done = run(
        roofcast,
        *("calibrate", "kept/gemm.csv", "--device", "kept/test_cpu.yaml"),
        *("--output", "kept/fit.yaml"),
    )
    assert done.returncode == 0, done.stderr
    assert "form: cpu_gemm" in (kept / "fit.yaml").read_text()
    config = (
        '{"model_type": "llama", "hidden_size": 768, "intermediate_size": 2048,'
        '"num_hidden_layers": 4, "num_attention_heads": 12, "num_key_value_heads": 12,'
        '"head_dim": 64, "vocab_size": 8000, "max_position_embeddings": 512,'
        '"hidden_act": "silu", "tie_word_embeddings": false, "torch_dtype": "float32"}'
    )
    (roofcast.folder / "config.json").write_text(config)
    step = roofcast.json(
        *("predict", "prefill", "--model", "config.json", "--cluster", "kept/test_cpu.yaml:1"),
        *("--input", "64", "--fits", "kept/fit.yaml"),
    )
    assert step["time_s"] > 0
    assert step["interval"]["low_s"] < step["time_s"] < step["interval"]["high_s"]


@pytest.mark.usefixtures("measures")
def test_json_holds_every_case_and_the_noise(roofcast) -> None:
    done = roofcast.json("bench", "--quick", "--threads", "1", "--family", "gemv")
    assert (done["verb"], done["threads"]) == ("bench", 1)
    assert {case["part"] for case in done["cases"]} == {"gemv"}
    assert isinstance(done["noise"]["quiet"], bool)


@pytest.mark.usefixtures("measures")
def test_a_folder_that_cannot_be_made_is_a_failure(roofcast) -> None:
    (roofcast.folder / "file").write_text("x")
    message = roofcast.refusal(
        *("bench", "--quick", "--threads", "1", "--family", "gemv", "--output", "file/below"),
        status=1,
    )
    assert message.startswith("roofcast bench: --output: file/below: no folder can be made there")
