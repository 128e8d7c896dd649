# SPDX-License-Identifier: Apache-2.0
"""Measures any device that PyTorch runs on and writes tables for `roofcast calibrate`.

    python -m roofcast.bench_torch --device cuda --output measured

It needs PyTorch, which roofcast doesn't install. Run as a file, it needs nothing else.
"""

import argparse
import csv
import math
import platform
import re
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["main"]

Row = dict[str, object]
Run = Callable[[int], object]  # the operator on copy i

COMMON = ["gpu", "source", "framework", "version", "kernel"]
SHAPE = ["batch", "q_len", "kv_len", "heads", "kv_heads", "head_dim", "window"]
MEASURED = ["latency_us", "spread", "repeats", "copies", "timing"]
COLUMNS = {
    "gemm": [*COMMON, "dtype", "m", "n", "k", *MEASURED],
    "attention_prefill": [*COMMON, "phase", "dtype", "kv_dtype", *SHAPE, *MEASURED],
    "attention_decode": [*COMMON, "phase", "dtype", "kv_dtype", *SHAPE, *MEASURED],
    "elementwise": [*COMMON, "op", "dtype", "rows", "cols", "bytes_rw", *MEASURED],
}
# Name of a number format -> PyTorch's and its bytes.
FORMATS = {"bf16": ("bfloat16", 2), "fp16": ("float16", 2), "fp32": ("float32", 4)}
# Operator on rows -> how many elements it reads and writes for each of the result.
ROW_OPS = {"copy": 2, "add": 3, "gelu": 2, "layernorm": 2, "softmax": 2}


@dataclass(frozen=True)
class Case:
    """One operator: the family that its row belongs to, and the row's own columns."""

    family: str
    shape: Row

    def __getattr__(self, name: str) -> Any:
        try:
            return self.shape[name]
        except KeyError:
            raise AttributeError(name) from None


def gemm_cases(full: bool, formats: list[str]) -> Iterator[Case]:
    """out[m,n] = x[m,k] W[n,k]^T."""
    weights = [(1024, 1024), (4096, 4096), (8192, 8192), (28672, 4096), (4096, 14336)]
    tokens = [1, 8, 32, 128, 512, 2048, 8192]
    if full:
        weights += [(512, 512), (2048, 2048), (6144, 4096), (1280, 8192), (8192, 3584), (7168, 2048)]
        tokens = [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 1024, 2048, 4096, 8192]
    for dtype in formats:
        for n, k in weights:
            for m in tokens:
                yield Case("gemm", {"dtype": dtype, "m": m, "n": n, "k": k})


def attention_cases(full: bool, formats: list[str]) -> Iterator[Case]:
    """Causal over as many keys as queries, and one query over a cache."""
    heads = [(32, 8, 128), (8, 1, 128), (32, 32, 64)]
    if full:
        heads += [(16, 2, 128), (32, 32, 128), (64, 8, 64), (4, 1, 128)]
    lengths = [2**i for i in range(5, 16)] if full else [128, 512, 2048, 8192]
    batches = [1, 2, 4, 8, 16, 64] if full else [1, 8]
    caches = [2**i for i in range(5, 18)] if full else [128, 1024, 8192, 65536]
    decodes = [2**i for i in range(9)] if full else [1, 8, 64]
    for dtype in formats:
        for of in heads:
            for phase, sizes, counts, most in (
                ("prefill", lengths, batches, 1 << 16),
                ("decode", caches, decodes, 1 << 20),
            ):
                for size in sizes:
                    for batch in counts:
                        if batch * size > most:
                            continue
                        queries = (size, size) if phase == "prefill" else (1, size + 1)
                        values = (batch, *queries, *of, 0)
                        shape: Row = {"phase": phase, "dtype": dtype, "kv_dtype": dtype}
                        yield Case(f"attention_{phase}", shape | dict(zip(SHAPE, values)))


def elementwise_cases(full: bool, formats: list[str]) -> Iterator[Case]:
    widths = [1024, 2048, 4096, 8192, 14336] if full else [4096, 14336]
    for dtype in formats:
        for op, elements in ROW_OPS.items():
            for cols in widths:
                for rows in [2**i for i in range(0, 15, 1 if full else 3)]:
                    size = elements * rows * cols * FORMATS[dtype][1]
                    shape: Row = {"op": op, "dtype": dtype, "rows": rows, "cols": cols}
                    yield Case("elementwise", shape | {"bytes_rw": size})


def all_cases(full: bool, formats: list[str], families: list[str]) -> list[Case]:
    makers = (gemm_cases, attention_cases, elementwise_cases)
    cases = [case for make in makers for case in make(full, formats)]
    return [case for case in cases if case.family in families]


def rotated_bytes(case: Case) -> int:
    """What of an operator is there in several copies: weights, cache, or all of its operands."""
    size = FORMATS[case.dtype][1]
    if case.family == "gemm":
        return int(case.n * case.k * size)
    if case.family == "elementwise":
        return int(case.bytes_rw)
    return int(2 * case.batch * case.kv_len * case.kv_heads * case.head_dim * size)


class Skipped(Exception):
    """An operator that can't run here; the message is the reason."""


def make_run(torch: ModuleType, case: Case, device: str, copies: int) -> tuple[str, Run]:
    """The operator's name in PyTorch, and what runs it on one of the copies."""
    dtype = getattr(torch, FORMATS[case.dtype][0])
    functional = torch.nn.functional

    def random(*shape: int) -> Any:
        return torch.randn(*shape, device=device, dtype=dtype)

    if case.family == "gemm":
        x = random(case.m, case.k)
        weights = [random(case.n, case.k) for _ in range(copies)]
        return "torch_linear", lambda i: functional.linear(x, weights[i])
    if case.family == "elementwise":
        xs = [random(case.rows, case.cols) for _ in range(copies)]
        ys = [torch.empty_like(x) if case.op == "copy" else x for x in xs]
        if case.op == "add":
            ys = [random(case.rows, case.cols) for _ in range(copies)]
        run = {
            "copy": lambda i: ys[i].copy_(xs[i]),
            "add": lambda i: xs[i] + ys[i],
            "gelu": lambda i: functional.gelu(xs[i]),
            "layernorm": lambda i: functional.layer_norm(xs[i], (case.cols,)),
            "softmax": lambda i: functional.softmax(xs[i], dim=-1),
        }[case.op]
        return f"torch_{case.op}", run
    attend = getattr(functional, "scaled_dot_product_attention", None)
    if attend is None:
        raise Skipped("needs PyTorch 2.0")
    grouped = {}
    if case.heads != case.kv_heads:
        if "enable_gqa" not in (attend.__doc__ or ""):
            raise Skipped("heads that share keys need PyTorch 2.5")
        grouped = {"enable_gqa": True}
    causal = case.phase == "prefill"
    q = random(case.batch, case.heads, case.q_len, case.head_dim)
    caches = [
        [random(case.batch, case.kv_heads, case.kv_len, case.head_dim) for _ in range(2)]
        for _ in range(copies)
    ]
    return "torch_sdpa", lambda i: attend(q, *caches[i], is_causal=causal, **grouped)


def synchroniser(torch: ModuleType, device: str) -> Callable[[], object]:
    """What waits until the device has done its work."""
    module = getattr(torch, device.partition(":")[0], None)
    wait: Callable[[], object] = getattr(module, "synchronize", lambda: None)
    return wait


def wall_us(run: Run, count: int, copies: int, wait: Callable[[], object]) -> float:
    start = time.perf_counter()
    for i in range(count):
        run(i % copies)
    wait()
    return (time.perf_counter() - start) * 1e6


def per_round(estimate_us: float, copies: int, least_us: float) -> int:
    """How often one repeat runs an operator: long enough for the clock, each copy as often."""
    wanted = min(max(least_us / max(estimate_us, 0.1), 1.0), 200.0)
    return math.ceil(wanted / copies) * copies


def time_graph(torch: ModuleType, run: Run, count: int, copies: int, options: Any) -> list[float]:
    """A CUDA graph of `count` operators replayed between events: no launch by the host is in it."""
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for i in range(count):
            run(i % copies)
    for _ in range(options.warm_ups):
        graph.replay()
    events = [torch.cuda.Event(enable_timing=True) for _ in range(options.repeats + 1)]
    torch.cuda.synchronize()
    events[0].record()
    for event in events[1:]:
        graph.replay()
        event.record()
    torch.cuda.synchronize()
    return [a.elapsed_time(b) * 1e3 for a, b in zip(events, events[1:])]


def summary(times_us: list[float], count: int) -> Row:
    median = statistics.median(times_us)
    low = high = median
    if len(times_us) > 1:
        low, _, high = statistics.quantiles(times_us, n=4, method="inclusive")
    return {
        "latency_us": float(f"{median / count:.5g}"),
        "spread": float(f"{(high - low) / median:.3g}") if median > 0 else 0.0,
        "repeats": len(times_us),
    }


def measure(torch: ModuleType, case: Case, device: str, options: Any) -> Row:
    # Copies for the memory of a modest device: large operators outgrow every cache by themselves.
    copies = max(1, min(options.copies, (2 << 30) // rotated_bytes(case)))
    name, run = make_run(torch, case, device, copies)
    wait = synchroniser(torch, device)
    wall_us(run, copies, copies, wait)  # loads kernels, chooses algorithms
    estimate = wall_us(run, copies, copies, wait) / copies
    graph = device.startswith("cuda") and options.timing != "loop"
    # A graph's events are exact to half a microsecond, a host's clock sees the wait as well.
    count = per_round(estimate, copies, 500 if graph else 5000)
    if graph:
        times = time_graph(torch, run, count, copies, options)
    else:
        for _ in range(options.warm_ups):
            wall_us(run, count, copies, wait)
        times = [wall_us(run, count, copies, wait) for _ in range(options.repeats)]
    row = case.shape | summary(times, count)
    return row | {"kernel": name, "copies": copies, "timing": "graph" if graph else "loop"}


def measure_all(torch: ModuleType, cases: list[Case], device: str, options: Any) -> dict[str, Any]:
    """Rows by family; what can't run is counted by its reason."""
    rows: dict[str, list[Row]] = {}
    skipped: Counter[str] = Counter()
    with torch.inference_mode():
        for number, case in enumerate(cases, 1):
            try:
                row = measure(torch, case, device, options)
                rows.setdefault(case.family, []).append(row)
            except Skipped as reason:
                skipped[f"{case.family}: {reason}"] += 1
            except (RuntimeError, NotImplementedError) as error:  # out of memory is one of them
                lines = str(error).splitlines() or [type(error).__name__]
                skipped[f"{case.family}: {lines[0][:80]}"] += 1
            except KeyboardInterrupt:
                print("interrupted: the tables hold what was measured", file=sys.stderr)
                break
            if number % max(len(cases) // 20, 1) == 0:
                print(f"{number} of {len(cases)}", file=sys.stderr)
    for reason, count in skipped.items():
        print(f"skipped {count}: {reason}", file=sys.stderr)
    return rows


def write_table(folder: Path, family: str, gpu: str, version: str, rows: list[Row]) -> Path:
    path = folder / f"{gpu}__{family}.csv"
    common = {"gpu": gpu, "source": "roofcast-bench-torch", "framework": "pytorch"}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS[family], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(common | {"version": version} | row)
    return path


def reported_name(torch: ModuleType, device: str) -> str:
    """What the system calls a device."""
    kind = device.partition(":")[0]
    module = getattr(torch, kind, None)
    if kind != "cpu" and hasattr(module, "get_device_name"):
        return str(module.get_device_name(device))
    if sys.platform == "darwin":
        question = ["sysctl", "-n", "machdep.cpu.brand_string"]
        return subprocess.run(question, capture_output=True, text=True, check=False).stdout.strip()
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    except OSError:
        found = None
    return found[1] if found else platform.machine()


def catalog_name(reported: str) -> str:
    """The catalog's name for a device, or its own in kebab-case where roofcast doesn't know it."""
    bare = re.sub(r"^(NVIDIA |AMD |Intel\(R\) |Tesla |GeForce )+", "", reported)
    try:
        import roofcast as rc
    except ImportError:
        pass
    else:
        for name in (reported, bare):
            try:
                return rc.load_device(name.replace("/", " ")).name
            except rc.Error:
                continue
    return re.sub(r"[^a-z0-9]+", "-", bare.lower()).strip("-") or "unknown-device"


def parse(words: list[str] | None) -> argparse.Namespace:
    def at_least(least: int) -> Callable[[str], int]:
        def number(text: str) -> int:
            if not text.isdecimal() or int(text) < least:
                raise argparse.ArgumentTypeError(f"'{text}' is no whole number from {least} on")
            return int(text)

        return number

    parser = argparse.ArgumentParser("python -m roofcast.bench_torch", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--device", default="cuda", help="cuda, cuda:1, mps, xpu, cpu")
    parser.add_argument("--output", type=Path, default=Path(), metavar="DIR", help="of the tables")
    parser.add_argument("--families", nargs="+", choices=COLUMNS, default=list(COLUMNS))
    parser.add_argument("--dtypes", nargs="+", choices=FORMATS, default=["bf16"])
    parser.add_argument("--grid", choices=["quick", "full"], default="quick")
    parser.add_argument("--copies", type=at_least(1), default=5,
                        help="of weights, caches and operands, taken in turn; 1 leaves them in the cache")  # fmt: skip
    parser.add_argument("--warm-ups", type=at_least(0), default=3)
    parser.add_argument("--repeats", type=at_least(1), default=6)
    parser.add_argument("--timing", choices=["auto", "loop"], default="auto",
                        help="auto replays CUDA graphs where the device has them")  # fmt: skip
    parser.add_argument("--gpu", metavar="NAME", help="what the column gpu says")
    return parser.parse_args(words)


def fail(message: str, status: int = 1) -> int:
    print(f"roofcast.bench_torch: {message}", file=sys.stderr)
    return status


def main(words: list[str] | None = None) -> int:
    """Runs the command; the exit status."""
    options = parse(words)
    try:
        import torch
    except ImportError as error:
        return fail(f"torch: {error}; install PyTorch for the device (pytorch.org says how)")
    try:
        torch.empty(1, device=options.device)
        if options.device.startswith("cuda:"):
            torch.cuda.set_device(options.device)  # graphs are captured on the current one
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        why = (str(error).splitlines() or [type(error).__name__])[0]
        return fail(f"--device: '{options.device}': {why}; name a device that this PyTorch has", 2)
    try:
        options.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return fail(f"--output: {error}; name a folder that may be written to", 2)
    gpu = options.gpu or catalog_name(reported_name(torch, options.device))
    cases = all_cases(options.grid == "full", options.dtypes, options.families)
    print(f"{gpu}: {len(cases)} operators, PyTorch {torch.__version__}", file=sys.stderr)
    for family, rows in measure_all(torch, cases, options.device, options).items():
        print(write_table(options.output, family, gpu, str(torch.__version__), rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
