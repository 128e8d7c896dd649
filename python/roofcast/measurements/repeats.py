# SPDX-License-Identifier: Apache-2.0
"""Operators of a trace: the invocations of one shape become one row."""

import statistics
from collections.abc import Callable, Mapping, Sequence

import pandas

from roofcast.measurements.result import Found

# A collective's kernel also waits for the other ranks, so its shortest invocation says most.
_SUMMARY: dict[str, Callable[[Sequence[float]], float]] = {"collectives": min}


class Invocations:
    """Invocations by family and shape."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, frozenset[tuple[str, object]]], list[tuple[float, int]]] = {}

    def add(self, family: str, values: Mapping[str, object], time_us: float, row: int) -> None:
        """One invocation; `row` names it in messages."""
        self._times.setdefault((family, frozenset(values.items())), []).append((time_us, row))

    def take(self, found: Found) -> None:
        """Hands the summaries over: the median of each shape, of collectives the minimum."""
        tables: dict[str, list[dict[str, object]]] = {}
        for (family, values), times in self._times.items():
            summary = _SUMMARY.get(family, statistics.median)
            count = {"row": min(row for _, row in times), "repeats": len(times)}
            time = summary([time for time, _ in times])
            tables.setdefault(family, []).append(dict(values) | count | {"latency_us": time})
        for family, rows in tables.items():
            found.take(family, pandas.DataFrame(rows))
