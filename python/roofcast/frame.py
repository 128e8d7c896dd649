# SPDX-License-Identifier: Apache-2.0
"""Predictions as pandas data frames."""

from collections.abc import Iterable, Iterator

import pandas

from roofcast._core import Node, StepTime

__all__ = ["steps_frame", "tree_frame"]


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
