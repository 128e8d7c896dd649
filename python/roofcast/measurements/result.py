# SPDX-License-Identifier: Apache-2.0
"""Tables of measurements in the common schemas, with what was left out of them and why."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas

from roofcast._core import NotFoundError, load_device
from roofcast.measurements.schemas import KERNELS, SCHEMAS, WHOLE, file_name

LARGEST = 2**53  # size: what a double counts exactly
SHOWN = 5  # rows that a report names for each reason


def gpu_name(text: str) -> str:
    """The catalog's name of a device, or the text itself when it is in no catalog."""
    try:
        return load_device(text).name if text else ""
    except NotFoundError:
        return text


class Found:
    """What one file gave. Importers put rows in; each is either taken or dropped with a reason."""

    def __init__(self, path: str | os.PathLike[str], form: str, gpu: str, framework: str) -> None:
        self.path = path
        self.file = os.path.basename(os.fspath(path)).encode("utf-8", "replace").decode()
        self.form = form
        self.gpu = gpu
        self.framework = framework
        self.tables: dict[str, list[pandas.DataFrame]] = {}
        self.kernels: list[Mapping[str, object]] = []
        self.dropped: list[tuple[int, str]] = []

    def drop(self, rows: Iterable[int], reason: str) -> None:
        """Counts rows that can't be used."""
        self.dropped += [(int(row), reason) for row in rows]

    def take(self, family: str, frame: pandas.DataFrame) -> None:
        """Adds rows; `row` is among the columns, those that are missing are unknown."""
        frame = frame.copy()
        self._set_gpu(frame)
        for name in WHOLE & set(frame.columns):
            if frame[name].dtype == object:  # Python's numbers, of any size
                huge = frame[name].map(lambda value: isinstance(value, int) and value > LARGEST)
                self.drop(frame.loc[huge & (frame["row"] >= 0), "row"], f"{name} is too large")
                frame.loc[huge, "row"] = -1
                frame.loc[huge, name] = 0
        frame = frame[frame["row"] >= 0].copy()
        frame["file"] = self.file
        for name, default in (("source", self.form), ("framework", self.framework)):
            if name not in frame:
                frame[name] = ""
            frame.loc[frame[name] == "", name] = default
        extra = [name for name in ("file", "row", "repeats") if name in frame]
        if len(frame):
            self.tables.setdefault(family, []).append(
                frame.reindex(columns=[*SCHEMAS[family], *extra])
            )

    def _set_gpu(self, frame: pandas.DataFrame) -> None:
        if "gpu" not in frame:
            frame["gpu"] = ""
        for text in frame["gpu"].unique():
            rows = frame["gpu"] == text
            name = gpu_name(text)
            if name != text and self.gpu and name != self.gpu:  # another device of the catalog
                self.drop(frame.loc[rows, "row"], f"measured on {name}, not on {self.gpu}")
                frame.loc[rows, "row"] = -1
            frame.loc[rows, "gpu"] = self.gpu or name

    def kernel(self, row: int, family: str, name: str, **values: object) -> None:
        """Lists a kernel whose shape is unknown, and counts it as dropped."""
        is_copy = family == "copy"
        reason = "copy or fill of memory" if is_copy else f"{family} kernel without a shape"
        self.drop([row], reason)
        gpu = str(values.pop("gpu", ""))
        gpu = self.gpu or gpu_name(gpu)
        self.kernels.append(
            {"gpu": gpu, "source": self.form, "file": self.file, "row": row}
            | {"family": family, "name": name}
            | values
        )


class Measurements:
    """Measured rows in the common schemas.

    Attributes
    ----------
    tables : dict of str to pandas.DataFrame
        A table for each family that has rows: ``gemm``, ``attention_prefill``, ``moe``,
        ``collectives`` and so on; `latency_us` [us], `bytes` [B].
    dropped : pandas.DataFrame
        Every row that was left out: `file`, `row` (line of a text, row of a Parquet file) and
        `reason`.
    kernels : pandas.DataFrame
        Kernels of a profile whose shape it doesn't have, with their times [us]. Nothing can be
        fitted to them; they are in `dropped` too.
    forms : dict of str to str
        What each file was recognised as.
    """

    def __init__(self, found: Iterable[Found]) -> None:
        found = list(found)
        self.forms = {os.fspath(one.path): one.form for one in found}
        self.tables: dict[str, pandas.DataFrame] = {}
        for family in SCHEMAS:
            parts = [part for one in found for part in one.tables.get(family, [])]
            if parts:
                self.tables[family] = _typed(pandas.concat(parts, ignore_index=True))
        drops = [(one.file, row, reason) for one in found for row, reason in one.dropped]
        self.dropped = pandas.DataFrame(drops, columns=["file", "row", "reason"])
        self.dropped = self.dropped.sort_values(["file", "row"], ignore_index=True)
        kernels = [kernel for one in found for kernel in one.kernels]
        self.kernels = pandas.DataFrame(kernels, columns=KERNELS)

    def __repr__(self) -> str:
        rows = sum(len(table) for table in self.tables.values())
        families = ", ".join(self.tables) or "nothing"
        return f"<Measurements of {families}: {rows} rows, {len(self.dropped)} dropped>"

    def __str__(self) -> str:
        lines = [f"{len(table):8} rows  {family}" for family, table in self.tables.items()]
        reasons = self.dropped.groupby(["file", "reason"])["row"].agg(list)
        for (file, reason), rows in sorted(reasons.items(), key=lambda item: -len(item[1])):
            shown = ", ".join(map(str, rows[:SHOWN])) + (", ..." if len(rows) > SHOWN else "")
            word = "row" if len(rows) == 1 else "rows"
            lines.append(f"{len(rows):8} dropped  {file}: {reason} ({word} {shown})")
        unknown = [name for name, table in self.tables.items() if (table["gpu"] == "").any()]
        if unknown:
            lines.append(f"The GPU of {', '.join(unknown)} is not recorded; name it with gpu.")
        return "\n".join(lines or ["nothing"])

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes a CSV file for each GPU and family, and `dropped.csv`.

        Parameters
        ----------
        folder : str or os.PathLike
            Made when it isn't there; files of the same names are replaced.

        Returns
        -------
        list of Path
            What was written: ``h100_sxm__gemm.csv``, ...
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        written = []
        tables = [*self.tables.items(), ("kernels", self.kernels)]
        parts = [(f, gpu, part) for f, t in tables for gpu, part in t.groupby("gpu", dropna=False)]
        for family, gpu, part in parts:
            path = target / file_name(str(gpu), family)
            part.to_csv(path, index=False, lineterminator="\n")
            written.append(path)
        if len(self.dropped):
            path = target / "dropped.csv"
            self.dropped.to_csv(path, index=False, lineterminator="\n")
            written.append(path)
        return written


def _typed(frame: pandas.DataFrame) -> pandas.DataFrame:
    """Whole numbers as such, unknown text as empty."""
    for name in frame.columns:
        if name in WHOLE:
            frame[name] = pandas.to_numeric(frame[name]).astype("Int64")
        elif not name.startswith("latency_us"):
            cells = frame[name].astype(object)
            frame[name] = cells.where(cells.notna(), "").astype(str)
    return frame
