# SPDX-License-Identifier: Apache-2.0
"""Pictures of predictions, drawn by matplotlib."""

from collections.abc import Mapping

import matplotlib.pyplot
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from roofcast._core import Device, Node, StepTime

__all__ = ["breakdown", "roofline"]

# What limits a node -> its colour; told apart by colour-blind readers too.
_COLOURS = {"compute": "#0072b2", "memory": "#e69f00", "network": "#009e73", "host": "#cc79a7"}
_LETTER = 0.011  # share of the picture's width that one letter of a name takes


def breakdown(step: StepTime | Node, *, depth: int = 3, ax: Axes | None = None) -> Axes:
    """Where the time of a step goes: a row for each level, as wide as its share of the time.

    Parameters
    ----------
    step : StepTime or Node
        A prediction, or a breakdown of time.
    depth : int [levels], default 3
        Levels below the whole.
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.

    Returns
    -------
    matplotlib Axes
        Time from left to right, colours by what limits each part.
    """
    tree = step.breakdown() if isinstance(step, StepTime) else step
    if ax is None:
        size = (10, 1.2 + 0.6 * (depth + 1))
        ax = matplotlib.pyplot.subplots(figsize=size, layout="constrained")[1]
    scale, unit = (1.0, "s") if tree.time_s >= 10 else (1e3, "ms")
    used: set[str] = set()

    def draw(node: Node, start: float, level: int) -> None:
        colour = _COLOURS[node.bound]
        used.add(node.bound)
        width = node.time_s * scale
        ax.barh(-level, width, left=start, height=0.9, color=colour, edgecolor="white")
        if tree.time_s > 0 and node.time_s / tree.time_s >= _LETTER * len(node.name):
            ax.text(start + width / 2, -level, node.name, ha="center", va="center", clip_on=True)
        if level < depth:
            for child in node.children:
                draw(child, start, level + 1)
                start += child.time_s * scale

    draw(tree, 0.0, 0)
    ax.set_yticks([])
    ax.set_title(tree.name)
    ax.set_xlabel(f"time ({unit})")
    ax.set_xlim(0, tree.time_s * scale)
    keys = [Patch(color=colour, label=name) for name, colour in _COLOURS.items() if name in used]
    ax.legend(handles=keys, title="limited by", loc="upper left", bbox_to_anchor=(1.01, 1))
    return ax


def roofline(
    device: Device,
    *,
    points: Mapping[str, tuple[float, float]] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The dense peaks and the memory bandwidth of a device, one roof for each number format.

    Parameters
    ----------
    device : Device
    points : mapping of str to (float, float), optional
        What to mark: name to arithmetic intensity [FLOP/B] and rate [FLOP/s].
    ax : matplotlib Axes, optional
        Where to draw; default: a new figure.

    Returns
    -------
    matplotlib Axes
        Both axes are logarithmic.
    """
    if ax is None:
        ax = matplotlib.pyplot.subplots(figsize=(8, 5))[1]
    bandwidth = device.memory.bandwidth_bytes_per_s
    peaks: dict[float, list[str]] = {}
    for name, peak in device.peak_flops_per_s.items():
        peaks.setdefault(peak, []).append(name)
    low = min(peaks) / bandwidth / 30
    high = max(peaks) / bandwidth * 30
    for peak, names in sorted(peaks.items()):
        label = ", ".join(names) + f": {peak / 1e12:.0f} TFLOP/s"
        ridge = peak / bandwidth
        ax.loglog([low, ridge, high], [low * bandwidth, peak, peak], label=label)
    for name, (intensity, rate) in (points or {}).items():
        ax.plot(intensity, rate, "ko")
        ax.annotate(name, (intensity, rate), xytext=(5, -12), textcoords="offset points")
    ax.set_xlabel("arithmetic intensity (FLOP/B)")
    ax.set_ylabel("rate (FLOP/s)")
    ax.set_title(f"{device.title}, {bandwidth / 1e12:.2f} TB/s")
    ax.legend(loc="lower right")
    return ax
