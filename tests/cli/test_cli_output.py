# SPDX-License-Identifier: Apache-2.0
"""Where the answer goes: files, pipes, full disks."""

import os
import stat
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_output_holds_what_stdout_would(roofcast, decode) -> None:
    for form in ([], ["--json"], ["--csv"], ["--batch", "1..4"]):
        shown = roofcast.text(*decode, *form)
        assert roofcast.text(*decode, *form, "--output", "answer") == ""
        assert (roofcast.folder / "answer").read_text() == shown
    assert os.listdir(roofcast.folder) == ["answer"]


def test_a_new_file_has_the_usual_rights_and_an_old_one_keeps_its_own(roofcast, decode) -> None:
    answer = roofcast.folder / "answer"
    previous = os.umask(0o022)
    try:
        roofcast.text(*decode, "--output", "answer")
        assert stat.S_IMODE(answer.stat().st_mode) == 0o644
        answer.chmod(0o600)
        roofcast.text(*decode, "--output", "answer")
        assert stat.S_IMODE(answer.stat().st_mode) == 0o600
    finally:
        os.umask(previous)


def test_a_link_stays_a_link(roofcast, decode) -> None:
    (roofcast.folder / "real").touch()
    (roofcast.folder / "link").symlink_to("real")
    roofcast.text(*decode, "--output", "link")
    assert (roofcast.folder / "link").is_symlink() and (roofcast.folder / "real").read_text() != ""


def test_a_link_to_nothing_is_no_place(roofcast, decode) -> None:
    (roofcast.folder / "dangling").symlink_to("real")
    (roofcast.folder / "loop").symlink_to("loop")
    for name in ("dangling", "loop"):
        complaint = f"roofcast: --output: {name}: is a link that leads to no file; name a file"
        assert roofcast.refusal(*decode, "--output", name, status=1) == complaint
    assert sorted(os.listdir(roofcast.folder)) == ["dangling", "loop"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_write_protected_file_stays(roofcast, decode) -> None:
    answer = roofcast.folder / "answer"
    answer.write_text("old")
    answer.chmod(0o444)
    assert roofcast.refusal(*decode, "--output", "answer", status=1) == (
        "roofcast: --output: answer: is write-protected; change its permissions or name another file"
    )
    assert answer.read_text() == "old"


def refuses_input(roofcast, *words: str) -> None:
    output = roofcast.folder / words[-1]
    old = output.read_text()
    message = roofcast.refusal(*words)
    assert message.endswith(f": --output: {words[-1]} is also an input; write to another file")
    assert output.read_text() == old


def test_an_input_is_no_output(roofcast, accelerator) -> None:
    zoo = ROOT / "models/llm/zoo/llama-3.1-8b.json"
    fits = ROOT / "hardware/fits/assumed.yaml"
    (roofcast.folder / "mine").mkdir()
    (roofcast.folder / "mine/config.json").write_text(zoo.read_text())
    (roofcast.folder / "fits.yaml").write_text(fits.read_text())
    words = ("--model", "mine", "--cluster", "./my_gpu.yaml:8", "--fits", "./fits.yaml", "--context", "9")
    for output in ("mine/config.json", "mine/../my_gpu.yaml", "fits.yaml"):
        refuses_input(roofcast, "predict", "decode", *words, "--output", output)
    refuses_input(roofcast, "show", "./my_gpu.yaml", "--output", "my_gpu.yaml")
    refuses_input(roofcast, "lint", ".", "--output", "my_gpu.yaml")


def test_bad_input_leaves_the_old_file(roofcast, decode) -> None:
    (roofcast.folder / "answer").write_text("old")
    roofcast.refusal(*decode, "--tp", "3", "--output", "answer")
    assert (roofcast.folder / "answer").read_text() == "old"
    assert os.listdir(roofcast.folder) == ["answer"]


HINT = "check the place and its free space"


@pytest.mark.parametrize(
    ("place", "complaint"),
    [
        (".", ".: is a folder; name a file in it"),
        ("no/answer", f"no/answer: can't be made: No such file or directory; {HINT}"),
        ("/dev/full", f"/dev/full: can't be written: No space left on device; {HINT}"),
    ],
)
def test_an_output_that_cannot_be_written_is_a_failure(roofcast, decode, place: str, complaint: str) -> None:
    assert roofcast.refusal(*decode, "--output", place, status=1) == f"roofcast: --output: {complaint}"


def shell(roofcast, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        cwd=roofcast.folder,
        env=roofcast.environment | {"R": str(roofcast.program)},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_a_fifo_is_written_to_and_stays(roofcast) -> None:
    done = shell(roofcast, 'mkfifo pipe; cat pipe & "$R" list links --quiet --output pipe; wait')
    assert (done.returncode, done.stderr) == (0, "") and "nvlink4" in done.stdout
    assert stat.S_ISFIFO((roofcast.folder / "pipe").stat().st_mode)


@pytest.mark.skipif(os.geteuid() == 0, reason="a fault would break /dev/stdout for everybody")
def test_a_descriptor_is_written_where_it_stands(roofcast) -> None:
    for name in ("/dev/stdout", "/dev/fd/1"):
        done = shell(roofcast, f'{{ echo before; "$R" list links --quiet --output {name}; echo after; }} > answer')
        assert (done.returncode, done.stderr) == (0, "")
        lines = (roofcast.folder / "answer").read_text().splitlines()
        assert (lines[0], lines[-1]) == ("before", "after") and "nvlink4" in lines


def test_a_limit_on_the_size_of_files_is_a_failure(roofcast) -> None:
    done = shell(roofcast, 'ulimit -f 1; "$R" list --json --output names')
    assert (done.returncode, done.stderr) == (
        1,
        f"roofcast: --output: names: can't be written: File too large; {HINT}\n",
    )
    assert os.listdir(roofcast.folder) == []


def test_a_full_disk_and_a_closed_stdout_are_failures(roofcast) -> None:
    done = shell(roofcast, '"$R" list > /dev/full')
    assert (done.returncode, done.stderr) == (
        1,
        f"roofcast: stdout: can't be written: No space left on device; {HINT}\n",
    )
    done = shell(roofcast, '"$R" list >&-')
    assert (done.returncode, done.stderr) == (1, f"roofcast: stdout: can't be written: Bad file descriptor; {HINT}\n")


def test_a_closed_stdout_does_not_matter_to_output(roofcast) -> None:
    done = shell(roofcast, '"$R" list --output names >&-')
    assert (done.returncode, done.stderr) == (0, "")
    assert "h100-sxm" in (roofcast.folder / "names").read_text()


@pytest.mark.parametrize("words", ["list", "help", "predict decode $M --batch 1..2000 --json", "show h100-sxm"])
def test_a_reader_that_stops_early_is_no_failure(roofcast, words: str) -> None:
    model = "--model llama-3.1-8b --cluster h100-sxm --context 9"
    done = shell(roofcast, f"""M="{model}"; "$R" {words} | head -n 1""")
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)


def test_nothing_is_coloured(roofcast, decode) -> None:
    assert "\x1b" not in roofcast.text(*decode, TERM="xterm-256color", FORCE_COLOR="1")


def test_quiet_is_the_answer_alone(roofcast, decode) -> None:
    answer = roofcast.text(*decode, "--quiet")
    assert answer.count("\n") == 1 and answer.startswith("decode  llama-3.1-8b on h100-sxm:1, tp1: ")
    assert roofcast.text("list", "links", "--quiet").splitlines() == [
        entry["name"] for entry in roofcast.json("list", "links")["links"]
    ]
    assert roofcast.text("lint", "--quiet") == ""
