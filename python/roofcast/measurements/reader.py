# SPDX-License-Identifier: Apache-2.0
"""Recognises the form of a file by its content and hands it to the importer of that form."""

import json
import os
from collections.abc import Callable, Iterable, Sequence

import pandas

from roofcast._core import ArgumentError, SpecError, load_device
from roofcast.measurements import (
    aiconfigurator,
    common,
    nccl_tests,
    nsys,
    torch_profiler,
    torch_trace,
    vidur,
)
from roofcast.measurements.files import csv_rows, decoded, parquet_frame, place, read_bytes
from roofcast.measurements.result import Found, Measurements
from roofcast.measurements.rows import Rows

FORMS = (
    "tables of aiconfigurator (.parquet, .txt, .csv) and vidur (.csv), nsys stats as CSV, traces "
    "of PyTorch's profiler (.json, .json.gz), logs of nccl-tests, and the common tables"
)

Path = str | os.PathLike[str]
# Begins the result of a file once its form is known.
_Begin = Callable[[str], Found]


def read(
    paths: Path | Iterable[Path], *, gpu: str | None = None, framework: str | None = None
) -> Measurements:
    """What `roofcast.read_measurements` does."""
    several = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    if not several:
        raise ArgumentError("paths: no file; name at least one")
    seen: set[str] = set()
    for path in several:
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentError(f"paths: {path!r} is no path; use a str or a Path")
        real = os.path.realpath(path)
        if real in seen:
            raise ArgumentError(f"{place(path)}: given twice; name each file once")
        seen.add(real)
    name = load_device(gpu).name if gpu is not None else ""
    return Measurements([_read_file(path, name, framework or "") for path in several])


def _read_file(path: Path, gpu: str, framework: str) -> Found:
    def begin(form: str) -> Found:
        return Found(path, form, gpu, framework)

    data = read_bytes(path)
    if data[:4] == b"PAR1":
        frame = parquet_frame(path, data)
        return _read_table(frame, range(1, len(frame) + 1), path, begin)
    text = decoded(data, path)
    if text.lstrip()[:1] in ("{", "[") and not nccl_tests.has_prefix(text):
        return _read_json(text, path, begin)
    if nccl_tests.is_log(text):
        found = begin("nccl-tests")
        nccl_tests.read_log(text, found)
        return found
    if header := nsys.find_header(text):
        found = begin("nsys")
        nsys.read(text, found, header)
        return found
    return _read_csv(text, path, begin)


def _read_json(text: str, path: Path, begin: _Begin) -> Found:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = place(path, getattr(error, "lineno", 0))
        raise SpecError(
            f"{where}: is JSON that is damaged or was cut off ({error}); write it again"
        ) from None
    if isinstance(document, list):  # a trace may be the bare list
        document = {"traceEvents": document}
    if torch_trace.is_trace(document):
        found = begin("pytorch-profiler")
        torch_profiler.read(document, found)
        return found
    if "results" in document and ("nccl_version" in document or "config" in document):
        found = begin("nccl-tests")
        nccl_tests.read_json(document, found)
        return found
    raise SpecError(f"{place(path)}: is JSON of no form that is read; these are: {FORMS}")


def _read_csv(text: str, path: Path, begin: _Begin) -> Found:
    rows = csv_rows(text, path)
    line, header = next(rows, (0, []))
    if not header:
        raise SpecError(f"{place(path)}: has only empty lines; name a file with measurements")
    double = sorted(name for name in set(header) if name and header.count(name) > 1)
    if double:
        raise SpecError(f"{place(path, line)}: two columns '{double[0]}'; remove one")
    fit: list[tuple[int, list[str]]] = []
    unfit: list[int] = []
    for number, cells in rows:
        if len(cells) == len(header):
            fit.append((number, cells))
        else:
            unfit.append(number)
    frame = pandas.DataFrame([cells for _, cells in fit], columns=header, dtype=object)
    found = _read_table(frame, [number for number, _ in fit], path, begin, unfit)
    found.drop(unfit, "not as many cells as the header")
    return found


def _read_table(
    frame: pandas.DataFrame,
    lines: Sequence[int],
    path: Path,
    begin: _Begin,
    unfit: Sequence[int] = (),
) -> Found:
    """A table of one of the forms that are tables; `unfit` lines are counted by the caller."""
    frame.columns = [str(name) for name in frame.columns]
    columns = set(frame.columns)
    ops = vidur.operations(list(frame.columns))
    table = next((one for need, one in aiconfigurator.TABLES if need <= columns), None)
    family = common.family_of(columns)
    if not ops and table is None and family is None:
        raise SpecError(f"{place(path)}: {_why_unknown(columns)}; these forms are read: {FORMS}")
    if len(frame) == 0 and not unfit:
        raise SpecError(f"{place(path)}: has a header but no rows; name a file with rows")
    found = begin("vidur" if ops else "aiconfigurator" if table is not None else "roofcast")
    if ops:
        vidur.read(lambda: Rows(frame.copy(), lines, found), columns, ops)
        return found
    rows = Rows(frame, lines, found)
    if table is not None:
        table(rows)
    elif family is not None:
        common.read(rows, family)
    rows.finish()
    return found


def _why_unknown(columns: set[str]) -> str:
    """What a header lacks of the table that it comes nearest to, if it is at all near."""
    headers = [*common.HEADERS, *(need for need, _ in aiconfigurator.TABLES)]
    nearest = min(headers, key=lambda need: len(need - columns) / len(need))
    missing = sorted(nearest - columns)
    if len(missing) * 2 > len(nearest):
        return "is no table of measurements that is known"
    return f"lacks the column{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
