# SPDX-License-Identifier: Apache-2.0
"""Columns of a raw table, checked: a row with a cell that can't be used is marked with why."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import pandas

from roofcast.measurements.formats import dtype_of
from roofcast.measurements.result import LARGEST, Found

Column: TypeAlias = pandas.Series
_NOTHING = {"", "nan", "none", "null", "n/a", "na", "-"}


class Rows:
    """Rows of one raw table on their way into the common schemas."""

    def __init__(self, frame: pandas.DataFrame, lines: Sequence[int], found: Found) -> None:
        self.frame = frame.reset_index(drop=True)
        self.lines = pandas.Series(lines, dtype="int64")
        self.found = found
        self._reason = pandas.Series([""] * len(self.frame), dtype=object)

    def has(self, column: str) -> bool:
        """Whether the table has a column."""
        return column in self.frame

    def reject(self, mask: Column, reason: str) -> None:
        """Marks rows; the first reason stands."""
        self._reason[mask & (self._reason == "")] = reason

    def text(self, column: str, default: str = "") -> Column:
        """Cells as text; all `default` where there is no such column."""
        if column not in self.frame:
            return pandas.Series([default] * len(self.frame), dtype=object)
        cells = self.frame[column]
        return cells.where(cells.notna(), "").astype(str).str.strip()

    def number(self, column: str) -> Column:
        """Cells as finite numbers."""
        text = self.text(column)
        missing = text.str.lower().isin(_NOTHING)
        value = pandas.to_numeric(text.where(~missing, "0"), errors="coerce").astype(float)
        self.reject(missing, f"no {column}")
        self.reject(value.isna() | value.abs().eq(float("inf")), f"{column} is no number")
        return value.where(value.notna() & value.abs().lt(1e300), 0.0)

    def positive(self, column: str) -> Column:
        """Cells as numbers above zero."""
        value = self.number(column)
        self.reject(value < 0, f"{column} is negative")
        self.reject(value == 0, f"{column} is zero")
        return value

    def size(self, column: str, least: int = 1, default: int | None = None) -> Column:
        """Cells as whole numbers; all `default` where there is no such column."""
        if column not in self.frame and default is not None:
            return pandas.Series([default] * len(self.frame), dtype="int64")
        value = self.number(column)
        self.reject(value % 1 != 0, f"{column} is no whole number")
        self.reject(value < least, f"{column} is below {least}")
        self.reject(value > LARGEST, f"{column} is too large for a size")
        return value.where((value % 1 == 0) & value.between(least, LARGEST), least).astype("int64")

    def dtype(self, column: str) -> Column:
        """Number formats by the names of the tables."""
        text = self.text(column)
        names = {name: dtype_of(name) for name in text.unique()}
        for name, dtype in names.items():
            if dtype is None:
                shown = f"{column} '{name[:40]}' is unknown" if name else f"no {column}"
                self.reject(text == name, shown)
        return text.map(names)

    def divided(self, size: Column, by: Column, what: str, among: str = "the workers") -> Column:
        """A size over a number that must divide it."""
        self.reject(size % by != 0, f"{what} does not divide among {among}")
        return size // by

    def each(self, names: Column, known: Mapping[str, str], what: str) -> Column:
        """Words by a table of them."""
        for name in names.unique():
            if name not in known:
                self.reject(names == name, f"{what} '{str(name)[:40]}' is not read")
        return names.map(known)

    def take(
        self, family: str, columns: Mapping[str, object], where: Column | None = None
    ) -> None:
        """Hands rows of a family over; with `where` only those, without it also all the dropped."""
        mask = self._reason == ""
        frame = pandas.DataFrame({"row": self.lines} | dict(columns), index=self.frame.index)
        self.found.take(family, frame[mask if where is None else mask & where])

    def usable(self) -> list[int]:
        """Indices of the rows that nothing speaks against so far."""
        return list(self.frame.index[self._reason == ""])

    def finish(self) -> None:
        """Counts the rows that were rejected. Once, after the last take."""
        for reason in self._reason.unique():
            if reason:
                self.found.drop(self.lines[self._reason == reason], reason)


Importer = Callable[[Rows], None]
