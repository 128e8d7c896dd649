# SPDX-License-Identifier: Apache-2.0
"""Traces of PyTorch's profiler (Chrome JSON), recorded with `record_shapes=True`.

A kernel belongs to the operator that launched it: by its "External id", else by the runtime call
of the same "correlation". The time of an operator is that of all kernels that it or an operator
inside it launched; launches and gaps are not in it. Repeats of a shape become one row, their
median; of a collective the minimum, since its kernel also waits for late ranks. Rows are named by
the place of their event in `traceEvents`, from 1.
"""

from collections.abc import Mapping
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
from roofcast.measurements.torch_trace import COPIES, Op, Trace, key_of, number_of

@dataclass
class _Launched:
    """Kernels of one operator."""

    row: int
    gpu: str
    times: list[tuple[float, str]] = field(default_factory=list)


def _known(op: Op) -> Op | None:
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


def _shape(op: Op, kernel: str) -> tuple[str, dict[str, object]] | str:
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
    trace = Trace(document)
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
    launched: dict[Op, _Launched] = {}
    invocations = Invocations()
    for row, event, args in trace.kernels:
        name, time = str(event.get("name", "")), number_of(event.get("dur"))
        gpu = devices.get(key_of(args.get("device")), "")
        if time is None or time <= 0:
            found.drop([row], "kernel without a positive time")
        elif "Collective name" in args:
            _collective(args, name, time, row, gpu, found, invocations)
        elif str(event.get("cat", "")).lower() in COPIES:
            found.drop([row], "copy or fill of memory")
        elif (launcher := trace.launcher(args)) is None:
            why = "launched by no operator, perhaps by a CUDA graph"
            _unknown(found, row, name, time, gpu, why)
        elif (op := _known(launcher)) is None:
            why = f"launched by {launcher.name[:60]}, which is not read"
            _unknown(found, row, name, time, gpu, why)
        else:
            launched.setdefault(op, _Launched(row, gpu)).times.append((time, name))
    for op, kernels in launched.items():
        _operator(op, kernels, found, invocations)
    invocations.take(found)


def _operator(op: Op, kernels: _Launched, found: Found, invocations: Invocations) -> None:
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
    return {key_of(one.get("id")): str(one.get("name", "")) for one in devices if isinstance(one, dict)}
