# SPDX-License-Identifier: Apache-2.0
"""Traces of PyTorch's profiler (Chrome JSON), recorded with `record_shapes=True`.

A kernel belongs to the operator that launched it: by its "External id", else by the runtime call
of the same "correlation". The time of an operator is that of all kernels that it or an operator
inside it launched; launches and gaps are not in it. Repeats of a shape become one row, their
median; of a collective the minimum, since its kernel also waits for late ranks. Rows are named by
the place of their event in `traceEvents`, from 1.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from roofcast._core import SpecError
from roofcast.measurements.files import place
from roofcast.measurements.formats import dtype_of, kernel_family
from roofcast.measurements.repeats import Invocations
from roofcast.measurements.result import Found
from roofcast.measurements.torch_operators import (
    ATTENTION,
    attention_of,
    collective_of,
    elementwise_of,
    gemm_of,
)

_RUNTIME = ("cuda_runtime", "cuda_driver", "hip_runtime", "xpu_runtime")
_COPIES = ("gpu_memcpy", "gpu_memset")


@dataclass(eq=False)
class _Op:
    """An operator on the host."""

    name: str
    start: float
    end: float
    args: Mapping[str, object]
    parent: "_Op | None" = None

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

    def chain(self) -> Iterator["_Op"]:
        """Itself and those around it, outwards."""
        op: _Op | None = self
        while op is not None:
            yield op
            op = op.parent


@dataclass
class _Launched:
    """Kernels of one operator."""

    row: int
    gpu: str
    times: list[tuple[float, str]] = field(default_factory=list)


def _integers(value: object) -> list[int]:
    if isinstance(value, list) and all(isinstance(one, int) for one in value):
        return list(value)
    return []


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < float("inf") else None


def is_trace(document: object) -> bool:
    """Whether JSON is a Chrome trace."""
    return isinstance(document, dict) and isinstance(document.get("traceEvents"), list)


class _Trace:
    """Events of a trace by kind, and which operator launched which kernel."""

    def __init__(self, document: Mapping[str, object]) -> None:
        self.by_id: dict[object, _Op] = {}
        self.runtime: dict[object, tuple[object, tuple[object, object], float]] = {}
        self.kernels: list[tuple[int, Mapping[str, object], Mapping[str, object]]] = []
        self.threads: dict[tuple[object, object], list[_Op]] = defaultdict(list)
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
        start, duration = _number(event.get("ts")), _number(event.get("dur"))
        thread = (event.get("pid"), event.get("tid"))
        if category == "kernel" or category in _COPIES:
            self.kernels.append((row, event, args))
        elif start is None or duration is None:
            self.bad += [row] if category == "cpu_op" else []
        elif category == "cpu_op":
            op = _Op(str(event.get("name", "")), start, start + duration, args)
            self.threads[thread].append(op)
            if (identity := args.get("External id")) is not None:
                self.by_id[identity] = op
        elif category in _RUNTIME:
            self.runtime[args.get("correlation")] = (args.get("External id"), thread, start)

    def launcher(self, args: Mapping[str, object]) -> _Op | None:
        """The innermost operator that launched a kernel."""
        if (op := self.by_id.get(args.get("External id"))) is not None:
            return op
        call = self.runtime.get(args.get("correlation")) if "correlation" in args else None
        if call is None:
            return None
        identity, thread, time = call
        if (op := self.by_id.get(identity)) is not None:
            return op
        return _around(self.threads.get(thread, []), time)


def _nest(ops: list[_Op]) -> None:
    """Gives each operator of a thread the one around it."""
    ops.sort(key=lambda op: (op.start, -op.end))
    open_ops: list[_Op] = []
    for op in ops:
        while open_ops and open_ops[-1].end <= op.start:
            open_ops.pop()
        op.parent = open_ops[-1] if open_ops else None
        open_ops.append(op)


def _around(ops: Sequence[_Op], time: float) -> _Op | None:
    """The innermost operator of a sorted thread that runs at a time."""
    low, high = 0, len(ops)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if ops[middle].start <= time else (low, middle)
    op = ops[low - 1] if low else None
    return next((one for one in op.chain() if one.end >= time), None) if op else None


def _known(op: _Op) -> _Op | None:
    """The operator that a kernel is counted for: an attention around it, else the innermost."""
    chain = list(op.chain())
    attention = [one for one in chain if one.name in ATTENTION]
    if attention:
        return attention[-1]
    for one in chain:
        sizes = one.sizes()
        types = one.words("Input type")
        if gemm_of(one.name, sizes) or elementwise_of(one.name, sizes, types):
            return one
    return None


def _shape(op: _Op, kernel: str) -> tuple[str, dict[str, object]] | str:
    """Family and shape of an operator, or why it can't be read."""
    sizes, types = op.sizes(), op.words("Input type")
    if op.name in ATTENTION:
        values = op.words("Concrete Inputs", "Concrete inputs")
        return attention_of(op.name, sizes, types, values)
    if (gemm := gemm_of(op.name, sizes)) is None:
        elementwise = elementwise_of(op.name, sizes, types)
        return ("elementwise", elementwise) if elementwise else "operator that is not read"
    first = 1 if op.name in ("aten::addmm", "aten::baddbmm") else 0
    formats = {dtype_of(one) for one in types[first : first + 2]}
    if len(types) < first + 2 or None in formats:
        return "matrix product of an unknown number format"
    if len(formats) > 1:
        return "matrix product of two number formats"
    dtype = formats.pop()
    if dtype == "fp32" and "tf32" in kernel.lower():
        dtype = "tf32"
    return ("batched_gemm" if "batch" in gemm else "gemm"), gemm | {"dtype": dtype}


def read(document: Mapping[str, object], found: Found) -> None:
    """One trace."""
    trace = _Trace(document)
    if not trace.kernels:
        raise SpecError(
            f"{place(found.path)}: a trace without kernels; profile with ProfilerActivity.CUDA"
        )
    if not any(op.sizes() for ops in trace.threads.values() for op in ops):
        raise SpecError(
            f"{place(found.path)}: a trace without sizes; profile with record_shapes=True"
        )
    found.drop(trace.bad, "operator without its time")
    devices = _devices(document)
    launched: dict[_Op, _Launched] = {}
    invocations = Invocations()
    for row, event, args in trace.kernels:
        name, time = str(event.get("name", "")), _number(event.get("dur"))
        gpu = devices.get(args.get("device"), "")
        if time is None or time <= 0:
            found.drop([row], "kernel without a positive time")
        elif "Collective name" in args:
            _collective(args, name, time, row, gpu, found, invocations)
        elif str(event.get("cat", "")).lower() in _COPIES:
            found.drop([row], "copy or fill of memory")
        elif (launcher := trace.launcher(args)) is None:
            _unknown(found, row, name, time, gpu, "launched by no operator, perhaps by a CUDA graph")
        elif (op := _known(launcher)) is None:
            _unknown(found, row, name, time, gpu, f"launched by {launcher.name[:60]}, which is not read")
        else:
            launched.setdefault(op, _Launched(row, gpu)).times.append((time, name))
    for op, kernels in launched.items():
        _operator(op, kernels, found, invocations)
    invocations.take(found)


def _operator(op: _Op, kernels: _Launched, found: Found, invocations: Invocations) -> None:
    longest = max(kernels.times)[1]
    shape = _shape(op, longest)
    if isinstance(shape, str):
        found.drop([kernels.row], shape)
        return
    family, values = shape
    values |= {"gpu": kernels.gpu, "framework": "pytorch"}
    values |= {"kernel": longest} if family != "elementwise" else {}
    invocations.add(family, values, sum(time for time, _ in kernels.times), kernels.row)


def _collective(
    args: Mapping[str, object],
    name: str,
    time: float,
    row: int,
    gpu: str,
    found: Found,
    invocations: Invocations,
) -> None:
    shape = collective_of(dict(args))
    if isinstance(shape, str):
        found.drop([row], shape)
        return
    shape |= {"gpu": gpu, "framework": "pytorch", "impl": name}
    invocations.add("collectives", shape, time, row)


def _unknown(found: Found, row: int, name: str, time: float, gpu: str, why: str) -> None:
    """Lists a kernel and drops it for a reason of its own."""
    family = kernel_family(name)
    found.kernel(row, family, name, gpu=gpu, grid="", instances=1, total_us=time)
    found.dropped[-1] = (row, f"{family} kernel {why}")


def _devices(document: Mapping[str, object]) -> dict[object, str]:
    """Number of a device -> its name."""
    properties = document.get("deviceProperties")
    devices = properties if isinstance(properties, list) else []
    return {one.get("id"): str(one.get("name", "")) for one in devices if isinstance(one, dict)}
