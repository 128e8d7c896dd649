# SPDX-License-Identifier: Apache-2.0
"""Events of a Chrome trace of PyTorch: operators, kernels, and which launched which."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

_RUNTIME = ("cuda_runtime", "cuda_driver", "hip_runtime", "xpu_runtime")
COPIES = ("gpu_memcpy", "gpu_memset")


@dataclass(eq=False)
class Op:
    """An operator on the host."""

    name: str
    start: float
    end: float
    args: Mapping[str, object]
    parent: "Op | None" = None

    def sizes(self) -> list[list[int]]:
        """Sizes of its inputs; of one that is no tensor, or a list of them, none."""
        dims = self.args.get("Input Dims")
        return [_integers(one) for one in dims] if isinstance(dims, list) else []

    def words(self, *keys: str) -> list[str]:
        """Types or values of its inputs."""
        for key in keys:
            if isinstance(found := self.args.get(key), list):
                return [str(one) for one in found]
        return []

    def chain(self) -> Iterator["Op"]:
        """Itself and those around it, outwards."""
        op: Op | None = self
        while op is not None:
            yield op
            op = op.parent


def _integers(value: object) -> list[int]:
    if isinstance(value, list) and all(isinstance(one, int) for one in value):
        return list(value)
    return []


def key_of(value: object) -> object:
    """A number or word that names something; None when it is neither."""
    return value if isinstance(value, (int, str)) else None


def number_of(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < float("inf") else None


def is_trace(document: object) -> bool:
    """Whether JSON is a Chrome trace."""
    return isinstance(document, dict) and isinstance(document.get("traceEvents"), list)


class Trace:
    """Events of a trace by kind, and which operator launched which kernel."""

    def __init__(self, document: Mapping[str, object]) -> None:
        self.by_id: dict[object, Op] = {}
        self.runtime: dict[object, tuple[object, tuple[object, object], float]] = {}
        self.kernels: list[tuple[int, Mapping[str, object], Mapping[str, object]]] = []
        self.threads: dict[tuple[object, object], list[Op]] = defaultdict(list)
        self.bad: list[int] = []
        events = document["traceEvents"]
        for row, event in enumerate(events if isinstance(events, list) else [], 1):
            if isinstance(event, dict) and event.get("ph") == "X":
                self._add(row, event)
        for ops in self.threads.values():
            _nest(ops)

    def _add(self, row: int, event: Mapping[str, object]) -> None:
        category = str(event.get("cat", "")).lower()
        arguments = event.get("args")
        args: Mapping[str, object] = arguments if isinstance(arguments, dict) else {}
        start, duration = number_of(event.get("ts")), number_of(event.get("dur"))
        thread = (key_of(event.get("pid")), key_of(event.get("tid")))
        identity, correlation = key_of(args.get("External id")), key_of(args.get("correlation"))
        if category == "kernel" or category in COPIES:
            self.kernels.append((row, event, args))
        elif start is None or duration is None:
            self.bad += [row] if category == "cpu_op" else []
        elif category == "cpu_op":
            op = Op(str(event.get("name", "")), start, start + duration, args)
            self.threads[thread].append(op)
            if identity is not None:
                self.by_id[identity] = op
        elif category in _RUNTIME:
            self.runtime[correlation] = (identity, thread, start)

    def launcher(self, args: Mapping[str, object]) -> Op | None:
        """The innermost operator that launched a kernel."""
        if (op := self.by_id.get(key_of(args.get("External id")))) is not None:
            return op
        correlation = key_of(args.get("correlation"))
        call = self.runtime.get(correlation) if correlation is not None else None
        if call is None:
            return None
        identity, thread, time = call
        if (op := self.by_id.get(identity)) is not None:
            return op
        return _around(self.threads.get(thread, []), time)


def _nest(ops: list[Op]) -> None:
    """Gives each operator of a thread the one around it."""
    ops.sort(key=lambda op: (op.start, -op.end))
    open_ops: list[Op] = []
    for op in ops:
        while open_ops and open_ops[-1].end <= op.start:
            open_ops.pop()
        op.parent = open_ops[-1] if open_ops else None
        open_ops.append(op)


def _around(ops: Sequence[Op], time: float) -> Op | None:
    """The innermost operator of a sorted thread that runs at a time."""
    low, high = 0, len(ops)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ops[middle].start <= time else (low, middle)
    op = ops[low - 1] if low else None
    return next((one for one in op.chain() if one.end >= time), None) if op else None
