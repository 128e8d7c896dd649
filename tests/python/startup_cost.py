# SPDX-License-Identifier: Apache-2.0
"""What starting costs: user + system time, medians of 11, side by side in one run.

    .venv/bin/python tests/python/startup_cost.py [path of the roofcast command]
"""

import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

REPEATS = 11
DECODE = "predict decode --model llama-3.1-8b --cluster h100-sxm:1 --batch 1 --context 1024 --json"


def cost_ms(command: list[str]) -> float:
    """User and system time of one run, with what it started, in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)


def main(arguments: list[str]) -> int:
    beside = Path(sys.executable).parent / "roofcast"
    command = arguments[0] if arguments else str(beside) if beside.exists() else None
    command = command or shutil.which("roofcast")
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "import roofcast": [sys.executable, "-c", "import roofcast"],
        "import numpy, roofcast": [sys.executable, "-c", "import numpy, roofcast"],
    }
    if command:
        commands["roofcast predict decode"] = [command, *DECODE.split()]
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(REPEATS):  # in turns, so that a busy machine is busy for all of them
        for name, words in commands.items():
            times[name].append(cost_ms(words))
    for name, values in times.items():
        print(f"{name:24} {statistics.median(values):7.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
