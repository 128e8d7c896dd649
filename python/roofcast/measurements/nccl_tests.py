# SPDX-License-Identifier: Apache-2.0
"""Logs of nccl-tests (and rccl-tests): the text that they print, and the JSON of `-J`.

Out-of-place times are taken, in microseconds; bytes are the program's `size`. The number of
devices and their name come from the `Rank` lines, the operation from the program's name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import pandas

from roofcast._core import SpecError
from roofcast.measurements.files import place
from roofcast.measurements.formats import dtype_of
from roofcast.measurements.result import Found

_OPS = {"all_reduce": "all_reduce", "all_gather": "all_gather", "reduce_scatter": "reduce_scatter"}
_OPS |= {"alltoall": "alltoall", "sendrecv": "send_recv", "broadcast": "broadcast"}
_OPS |= {"reduce": "reduce", "gather": "gather", "scatter": "scatter"}
_PROGRAM = re.compile(rf"\b({'|'.join(sorted(_OPS, key=len, reverse=True))})_perf\b")
# mpirun puts "[0] " or "[1,0]<stdout>:" before lines.
_PREFIX = re.compile(r"^\[\d+(,\d+)?\](<std\w+>:?)?\s*")
_HEADER = re.compile(r"^#?\s*size\s+count\b")
_PARAMETERS = re.compile(r"#\s*nThreads? \d+ nGpus \d+")
_RANK = re.compile(r"#\s*Rank\s+(\d+)\s.*?\bon\s+(\S+)\s+device\s+\d+\s+\[[^\]]*\]\s*(.*)")
_VERSION = re.compile(r"nccl-library=(\d+)|NCCL version (\d+\.\d+\.\d+)")


def has_prefix(text: str) -> bool:
    """Whether mpirun's prefix comes first; it looks like the beginning of JSON."""
    return _PREFIX.match(text) is not None


def is_log(text: str) -> bool:
    """Whether text is what nccl-tests print."""
    lines = (_PREFIX.sub("", line) for line in text.splitlines())
    return any(_HEADER.match(line) or _PARAMETERS.match(line) for line in lines)


def version_of(code: int) -> str:
    """22703 is 2.27.3, and 2708 is 2.7.8."""
    base = 10000 if code >= 10000 else 1000
    return f"{code // base}.{code % base // 100}.{code % 100}"


@dataclass
class _Run:
    """What a log says of one program's run before its rows."""

    op: str = ""
    version: str = ""
    ranks: dict[int, tuple[str, str]] = field(default_factory=dict)  # rank -> host, device
    columns: list[str] = field(default_factory=list)

    def row(self, row: int, size: object, dtype: str, time: float) -> dict[str, object]:
        devices = {device for _, device in self.ranks.values()}
        return {
            "row": row,
            "gpu": devices.pop() if len(devices) == 1 else "",
            "framework": "nccl",
            "version": self.version,
            "impl": "nccl-tests",
            "op": self.op,
            "dtype": dtype,
            "num_gpus": len(self.ranks),
            "nodes": len({host for host, _ in self.ranks.values()}),
            "bytes": size,
            "latency_us": time,
        }


def _check(run: _Run, found: Found, line: int) -> None:
    where = place(found.path, line)
    if not run.op:
        raise SpecError(
            f"{where}: the log doesn't say which operation it measures; put the program's name "
            "into the file's name, as in all_gather_perf.log"
        )
    if len(run.ranks) < 2:
        raise SpecError(
            f"{where}: the log doesn't name two devices or more; keep its lines '#  Rank  0 ...'"
        )
    if len({device for _, device in run.ranks.values()}) > 1:
        raise SpecError(f"{where}: devices of several kinds; measure one kind at a time")


def _time_of(run: _Run, cells: list[str]) -> tuple[str, str] | None:
    """The out-of-place time and number of wrong results of a row, or None when it is no row."""
    names = run.columns
    rest = cells[3:]
    if "redop" in names and rest and not re.match(r"[-+\d.]", rest[0]):
        rest = rest[1:]
    if "root" in names:
        rest = rest[1:]
    group = names[names.index("time") :]
    group = group[: group.index("time", 1)] if "time" in group[1:] else group
    wrong = next((i for i, name in enumerate(group) if name in ("#wrong", "error")), None)
    if len(rest) < len(group):
        return None
    return rest[0], rest[wrong] if wrong is not None else "N/A"


def _number(text: object) -> float | None:
    try:
        value = float(str(text))
    except ValueError:
        return None
    return value if value == value and abs(value) != float("inf") else None


def _take(
    run: _Run, found: Found, row: int, cells: tuple[object, str, object, object]
) -> Iterator[dict[str, object]]:
    """A row of the result, or nothing when it is dropped."""
    size, dtype_text, time_text, wrong_text = cells
    time, wrong, dtype = _number(time_text), _number(wrong_text), dtype_of(dtype_text)
    size = _number(size)
    if time is None:
        found.drop([row], "time is no number")
    elif time <= 0:
        found.drop([row], "time is not positive")
    elif size is None or size <= 0:
        found.drop([row], "size is not positive")
    elif wrong:
        found.drop([row], "the test found wrong results")
    elif dtype is None:
        found.drop([row], f"type '{dtype_text[:40]}' is unknown")
    else:
        yield run.row(row, int(size), dtype, time)


def read_log(text: str, found: Found) -> None:
    """The text that nccl-tests print, of one program or several after each other."""
    named = _PROGRAM.search(found.file)
    run = _Run(op=_OPS[named[1]] if named else "")
    taken: list[dict[str, object]] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = _PREFIX.sub("", line).rstrip()
        if program := _PROGRAM.search(line):
            run.op = _OPS[program[1]]
        if version := _VERSION.search(line):
            run.version = version[2] or version_of(int(version[1]))
        if re.match(r"#\s*Using devices", line):
            run.ranks = {}
        elif rank := _RANK.match(line):
            run.ranks[int(rank[1])] = (rank[2], rank[3].strip())
        elif _HEADER.match(line):
            run.columns = line.lstrip("# ").split()
            _check(run, found, number)
        elif run.columns and re.match(r"\s*\d+\s+\d+\s+[a-z]", line):
            cells = line.split()
            values = _time_of(run, cells)
            if values is None:
                found.drop([number], "the row is cut off")
                continue
            taken += _take(run, found, number, (cells[0], cells[2], *values))
        elif run.columns and re.match(r"\s*\d+\s+\d+", line):
            found.drop([number], "the row is cut off")
    _finish(taken, found)


def read_json(document: Mapping[str, object], found: Found) -> None:
    """The JSON of `-J`; a row is named by its place in `results`."""
    arguments = json.dumps(document.get("args", []))
    program = _PROGRAM.search(arguments) or _PROGRAM.search(found.file)
    run = _Run(op=_OPS[program[1]] if program else "")
    code = document.get("nccl_version")
    run.version = version_of(code) if isinstance(code, int) else ""
    config = document.get("config")
    devices = config.get("devices", []) if isinstance(config, dict) else []
    for device in document.get("devices", devices) or devices:  # type: ignore[union-attr]
        if isinstance(device, dict) and isinstance(device.get("rank"), int):
            host, name = str(device.get("hostname", "")), str(device.get("device_info", ""))
            run.ranks[device["rank"]] = (host, name)
    _check(run, found, 0)
    taken: list[dict[str, object]] = []
    results = document.get("results")
    for number, result in enumerate(results if isinstance(results, list) else [], 1):
        if not isinstance(result, dict) or not isinstance(result.get("out_of_place"), dict):
            found.drop([number], "no out-of-place result")
            continue
        times, dtype = result["out_of_place"], str(result.get("type", ""))
        cells = (result.get("size"), dtype, times.get("time"), times.get("nwrong"))
        taken += _take(run, found, number, cells)
    _finish(taken, found)


def _finish(taken: list[dict[str, object]], found: Found) -> None:
    if not taken and not found.dropped:
        raise SpecError(f"{place(found.path)}: has a header but no rows; name a file with rows")
    if taken:
        found.take("collectives", pandas.DataFrame(taken))
