# SPDX-License-Identifier: Apache-2.0
"""CSV of `nsys stats`: reports cuda_gpu_kern_sum, cuda_gpu_trace and nvtx_kern_sum.

The first two have names of kernels and no shapes: the tile in a GEMM kernel's name is not its
shape. Their kernels are listed and dropped. NVTX ranges have shapes when PyTorch's
`emit_nvtx(record_shapes=True)` made them, or when they are named for it by hand, with columns of
the schemas: "roofcast gemm m=16 n=4096 k=1024 dtype=bf16".
"""

import re
from collections.abc import Mapping

import pandas

from roofcast._core import SpecError
from roofcast.measurements.files import csv_rows, place
from roofcast.measurements.formats import dtype_of, dtype_of_kernel, kernel_family
from roofcast.measurements.repeats import Invocations
from roofcast.measurements.result import Found
from roofcast.measurements.rows import Rows
from roofcast.measurements.schemas import SCHEMAS, WHOLE
from roofcast.measurements.torch_operators import gemm_of

_UNITS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
# Columns that tell a report, in its spelling of today with letter case and spaces folded.
_REPORTS = {
    "summary": {"total time", "instances", "avg", "name"},
    "trace": {"start", "duration", "corrid", "name"},
    "ranges": {"nvtx range", "kern inst", "total time", "kernel name"},
}
# "..., sizes = [[16, 4096], [4096, 4096]], input_op_ids = ..."
_SIZES = re.compile(r"\bsizes\s*=\s*(\[\[.*?\]\]|\[\])")
_PAIR = re.compile(r"\b(\w+)=(\S+)")


def _folded(cell: str) -> tuple[str, float]:
    """A column's name and what its unit is in microseconds."""
    unit = re.search(r"\((ns|us|ms|s)\)\s*$", cell)
    name = re.sub(r"\s*\([^)]*\)\s*$", "", cell).strip().lower()
    return name, _UNITS[unit[1]] if unit else 1.0


def find_header(text: str) -> tuple[int, str] | None:
    """The line of the header, below what nsys says first, and which report it is."""
    for number, line in enumerate(text.splitlines()[:200], 1):
        if "," not in line:
            continue
        names = {_folded(cell.strip().strip('"'))[0] for cell in line.split(",")}
        for report, need in _REPORTS.items():
            if need <= names:
                return number, report
    return None


def read(text: str, found: Found, header: tuple[int, str]) -> None:
    """One report."""
    line, report = header
    body = "".join(text.splitlines(keepends=True)[line - 1 :])
    rows = list(csv_rows(body, found.path, line))
    columns = [_folded(cell)[0] for cell in rows[0][1]]
    units = dict(_folded(cell) for cell in rows[0][1])
    if lacks := sorted(_REPORTS[report] - set(columns)):
        raise SpecError(f"{place(found.path, line)}: lacks the column '{lacks[0]}'; check quotes")
    if double := sorted(name for name in set(columns) if columns.count(name) > 1):
        raise SpecError(f"{place(found.path, line)}: two columns '{double[0]}'; remove one")
    whole = [(number, cells) for number, cells in rows[1:] if len(cells) == len(columns)]
    unfit = [number for number, cells in rows[1:] if len(cells) != len(columns)]
    found.drop(unfit, "not as many cells as the header")
    if len(rows) == 1:
        where = place(found.path, line)
        raise SpecError(f"{where}: has a header but no rows; name a file with rows")
    frame = pandas.DataFrame([cells for _, cells in whole], columns=columns, dtype=object)
    table = Rows(frame, [number for number, _ in whole], found)
    {"summary": _summary, "trace": _trace, "ranges": _ranges}[report](table, units)
    table.finish()


def _summary(rows: Rows, units: Mapping[str, float]) -> None:
    times = {name: rows.positive(name) * units[name] for name in ("total time", "avg")}
    median = rows.number("med") * units["med"] if rows.has("med") else times["avg"]
    instances = rows.size("instances")
    grids = rows.text("gridxyz")
    for i in rows.usable():
        rows.found.kernel(
            int(rows.lines[i]),
            kernel_family(rows.frame["name"][i]),
            rows.frame["name"][i],
            grid=" ".join(grids[i].split()),
            instances=int(instances[i]),
            total_us=times["total time"][i],
            average_us=times["avg"][i],
            median_us=median[i],
        )


def _trace(rows: Rows, units: Mapping[str, float]) -> None:
    duration = rows.positive("duration") * units["duration"]
    device = rows.text("device").str.replace(r"\s*\(\d+\)$", "", regex=True)
    grid = rows.text("grdx") + " " + rows.text("grdy") + " " + rows.text("grdz")
    names = rows.text("name")
    usable = rows.usable()
    keys = pandas.DataFrame({"name": names, "grid": grid.str.strip(), "gpu": device}).loc[usable]
    for (name, shape, gpu), group in keys.groupby(["name", "grid", "gpu"], sort=False):
        times, lines = duration[group.index], rows.lines[group.index]
        family = kernel_family(name)
        rows.found.kernel(
            int(lines.iloc[0]),
            family,
            name,
            gpu=gpu,
            grid=shape,
            instances=len(group),
            total_us=times.sum(),
            average_us=times.mean(),
            median_us=times.median(),
        )
        rows.found.drop(lines.iloc[1:], rows.found.dropped[-1][1])


def _ranges(rows: Rows, units: Mapping[str, float]) -> None:
    """A range's time is that of its kernels, over how often it ran."""
    total = rows.positive("total time") * units["total time"]
    runs = rows.size("nvtx inst") if rows.has("nvtx inst") else rows.size("kern inst")
    names = rows.text("nvtx range").str.lstrip(":")
    kernels = rows.text("kernel name")
    invocations = Invocations()
    kept = pandas.DataFrame({"range": names, "kernel": kernels, "time": total / runs})
    kept["row"] = rows.lines
    for name, group in kept.loc[rows.usable()].groupby("range", sort=False):
        kernel = group["kernel"][group["time"].idxmax()]
        values = _of_range(str(name), str(kernel))
        if isinstance(values, str):
            rows.found.drop(group["row"], values)
            continue
        family, shape = values
        shape |= {"kernel": kernel} if "kernel" in SCHEMAS[family] else {}
        invocations.add(family, shape, float(group["time"].sum()), int(group["row"].iloc[0]))
    invocations.take(rows.found)


def _of_range(name: str, kernel: str) -> tuple[str, dict[str, object]] | str:
    """Family and shape that a range's name tells, or why it tells none."""
    words = name.split()
    if words[:1] == ["roofcast"]:
        return _by_hand(words, name)
    sizes = _SIZES.search(name)
    if sizes is None:
        return "NVTX range without a shape"
    dims = [
        [int(size) for size in part.split(",") if size.strip()]
        for part in re.findall(r"\[([\d,\s]*)\]", sizes[1][1:-1])
    ]
    shape = gemm_of(name.split(",")[0].strip(), dims)
    if shape is None:
        return "NVTX range of an operator that is not read"
    if (dtype := dtype_of_kernel(kernel)) is None:
        return "the kernel's name doesn't tell the number format"
    return ("batched_gemm" if "batch" in shape else "gemm"), shape | {"dtype": dtype}


def _by_hand(words: list[str], name: str) -> tuple[str, dict[str, object]] | str:
    family = words[1] if len(words) > 1 else ""
    if family not in SCHEMAS:
        return f"NVTX range of unknown family '{family[:40]}'"
    shape: dict[str, object] = {}
    for key, text in _PAIR.findall(name):
        if key not in SCHEMAS[family]:
            return f"NVTX range with unknown key '{key[:40]}'"
        value: object = text
        if key in ("dtype", "kv_dtype"):
            value = dtype_of(text)
        elif key in WHOLE:
            value = int(text) if re.fullmatch(r"\d{1,15}", text) else None
        if value is None:
            return f"NVTX range whose {key} can't be read"
        shape[key] = value
    given = {"gpu", "source", "framework", "version", "kernel", "latency_us"}
    missing = [key for key in SCHEMAS[family] if key not in shape and key not in given]
    return f"NVTX range without {missing[0]}" if missing else (family, shape)
