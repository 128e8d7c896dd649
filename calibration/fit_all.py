#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits every device of hardware/fits/ and the pooled fit again, from the folder of measured tables.

    calibration/fit_all.py DATA [--output hardware/fits] [--reports DIR] [--only NAME...]

DATA holds the tables of the public sources named below in the schemas of `roofcast calibrate --help`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
COMMAND = REPOSITORY / "build" / "release" / "bin" / "roofcast-calibrate"

# Tables whose operators have forms; collectives are fitted elsewhere.
FAMILIES = (
    "gemm",
    "gemm_fp32",
    "attention_prefill",
    "attention_decode",
    "attention_encoder",
    "mla",
    "moe",
    "elementwise",
    "elementwise_fp32",
)

# Device -> prefixes of its tables. Where they come from stands in their column `source`:
# ai-dynamo/aiconfigurator at 095f58a, microsoft/vidur at 7d47513, sitar-lab/NeuSight at 6945927.
TABLES = {
    "a100-sxm": ("a100_sxm_80g__", "a100_vidur__"),
    "h100-sxm": ("h100_sxm_80g__", "h100_vidur__"),
    "h200-sxm": ("h200_sxm_141g__",),
    "b200": ("b200_sxm_180g__",),
    "l40s": ("l40s_48g__",),
    "a40": ("a40_vidur__",),
    "v100-pcie": ("v100_pcie_32gb__neusight_",),
    "t4": ("t4__neusight_",),
    "l4": ("l4__neusight_",),
    "mi210": ("mi210__neusight_",),
}
POOLED = ("a100_sxm_80g__", "h100_sxm_80g__", "h200_sxm_141g__", "b200_sxm_180g__", "l40s_48g__")


def tables(data: Path, prefixes: tuple[str, ...]) -> list[Path]:
    return [
        path
        for prefix in prefixes
        for family in FAMILIES
        if (path := data / f"{prefix}{family}.csv").exists()
    ]


def fit(name: str, files: list[Path], flags: list[str], output: Path, reports: Path | None) -> bool:
    """Writes one fit, and its report as JSON where they are kept."""
    words = [str(COMMAND), "calibrate", *map(str, files), *flags, "--json", "--output"]
    done = subprocess.run(
        [*words, str(output / f"{name.replace('-', '_')}.yaml")], capture_output=True, text=True
    )
    print(f"{name}: {len(files)} tables, {'fitted' if done.returncode == 0 else 'failed'}")
    if done.returncode != 0:
        print(done.stderr, file=sys.stderr)
    elif reports is not None:
        (reports / f"{name}.json").write_text(done.stdout)
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder of the measured tables")
    parser.add_argument("--output", type=Path, default=REPOSITORY / "hardware" / "fits")
    parser.add_argument("--reports", type=Path, help="keep each report as JSON in this folder")
    parser.add_argument("--only", nargs="*", default=[], help="these devices, or 'pooled', alone")
    words = parser.parse_args()
    if words.reports is not None:
        words.reports.mkdir(parents=True, exist_ok=True)
    unknown = set(words.only) - set(TABLES) - {"pooled"}
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}: no such fit; there are {', '.join(TABLES)}, pooled")
    good = True
    for name, prefixes in TABLES.items():
        if words.only and name not in words.only:
            continue
        files = tables(words.data, prefixes)
        if not files:
            print(f"{name}: no tables in {words.data}, left as it is")
            continue
        good &= fit(name, files, ["--device", name], words.output, words.reports)
    if not words.only or "pooled" in words.only:
        files = tables(words.data, POOLED)
        if files:
            good &= fit("pooled", files, ["--pooled"], words.output, words.reports)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
