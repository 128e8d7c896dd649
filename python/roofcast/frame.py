# SPDX-License-Identifier: Apache-2.0
"""Predictions as pandas data frames."""

import io
from collections.abc import Iterable, Iterator

import pandas

from roofcast._core import Node, StepTime, Validation

__all__ = ["groups_frame", "rows_frame", "steps_frame", "tree_frame"]


def tree_frame(tree: Node) -> pandas.DataFrame:
    """A breakdown with a row for each node, parents first.

    Parameters
    ----------
    tree : Node
        As `StepTime.breakdown` and `Memory.ledger` give it.

    Returns
    -------
    pandas.DataFrame
        `path` (names joined by "/"), `depth`, `kind`, and for time `time_s` [s], `hidden_s` [s],
        `bound` and `count`, for memory `bytes` [B]; `share` of the whole [1].
    """
    sizes = ["bytes"] if tree.kind == "bytes" else ["time_s", "hidden_s", "bound", "count"]
    columns = ["kind", *sizes, "share"]

    def rows(node: Node, above: str, depth: int) -> Iterator[dict[str, object]]:
        path = f"{above}/{node.name}" if above else node.name
        yield {"path": path, "depth": depth} | {name: getattr(node, name) for name in columns}
        for child in node.children:
            yield from rows(child, path, depth + 1)

    return pandas.DataFrame(list(rows(tree, "", 0)))


def steps_frame(steps: Iterable[StepTime]) -> pandas.DataFrame:
    """Several predictions side by side, a row for each.

    Parameters
    ----------
    steps : iterable of StepTime

    Returns
    -------
    pandas.DataFrame
        `model`, `cluster`, `plan`, `time_s` [s], `tokens_per_s` and `tokens_per_s_per_device`
        [tokens/s], `mfu` [1], `bound`, `fits` and `memory_bytes` [B].
    """
    names = ["model", "cluster", "plan", "time_s", "tokens_per_s", "tokens_per_s_per_device"]
    names += ["mfu", "bound", "fits", "memory_bytes"]
    rows = [{name: getattr(step, name) for name in names} for step in steps]
    return pandas.DataFrame(rows, columns=names).astype({"plan": str})


def groups_frame(validation: Validation) -> pandas.DataFrame:
    """Errors by group, totals first.

    Parameters
    ----------
    validation : Validation

    Returns
    -------
    pandas.DataFrame
        `metric`, `by` (the key that makes the group, "total" for all rows), `name`, `rows`,
        `refused`, `excluded`, errors in percent (`mape`, `median`, `p90`, `worst`, `bias`,
        `spearman`) and of `fits` the percent `right`.
    """
    figures = ["mape", "median", "p90", "worst", "bias", "spearman", "right"]
    rows = [
        {
            "metric": group["metric"],
            "by": " ".join(group["by"]) or "total",
            "name": group["name"],
            "rows": group["rows"],
            "refused": group["refused"],
            "excluded": sum(group["excluded"].values()),
        }
        | {name: group.get(name) for name in figures}
        for group in [*validation.totals(), *validation.groups()]
    ]
    return pandas.DataFrame(rows).astype(dict.fromkeys(figures, float))


def rows_frame(validation: Validation) -> pandas.DataFrame:
    """Every row of the table with what became of it.

    Parameters
    ----------
    validation : Validation

    Returns
    -------
    pandas.DataFrame
        What the command writes with ``--rows``: `row` (1 is the first below the header), `metric`,
        `source`, `gpu`, `model`, `plan`, `status`, `reason`, `measured_bytes` and
        `predicted_bytes` [B], `error_percent`, `measured_fits`, `predicted_fits`, `fold` and more.
    """
    return pandas.read_csv(io.StringIO(validation.rows_csv()), low_memory=False)
