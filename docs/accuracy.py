# SPDX-License-Identifier: Apache-2.0
"""Every error that was measured: docs/accuracy.json, and the rows of README's table that state it.

    python docs/accuracy.py           # rewrites both from the measured data ("make accuracy")
    python docs/accuracy.py --readme  # rewrites README.md from docs/accuracy.json alone

The data is $ROOFCAST_DATA, else shared/data beside the checkout. Figures are percent.
"""

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "docs/accuracy.json"
README = ROOT / "README.md"
PLAYBOOK = "HuggingFace Ultra-Scale Playbook bench"

Figures = dict[str, object]


def data_folder() -> Path:
    return Path(os.environ.get("ROOFCAST_DATA") or ROOT.parent / "shared/data")


def validate(table: Path, metrics: str) -> dict:
    command = os.environ.get("ROOFCAST_COMMAND") or str(ROOT / "build/release/bin/roofcast")
    words = [command, "validate", str(table), "--metric", metrics, "--json"]
    return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)


def rounded(figures: Figures) -> Figures:
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in figures.items()}


def entry(name: str, group: Figures) -> Figures:
    """What is kept of a group: in-sample and cross-validated figures with what they rest on."""
    counts = {key: group[key] for key in ("metric", "rows", "refused", "excluded")}
    if group["metric"] == "fits":
        in_sample = {"right": group["right"]} | group["confusion"]
    else:
        in_sample = {key: group[key] for key in ("mape", "median", "p90", "worst", "bias")}
    result = {"name": name, "by": group["by"]} | counts
    result["in_sample"] = rounded(in_sample)
    result["cross_validated"] = rounded(group["cross_validated"])
    if group["metric"] == "fits":
        result["baselines"] = {name: rounded(one) for name, one in group["baselines"].items()}
    return result


def measure() -> list[Figures]:
    document = validate(data_folder() / "e2e/training_measured.csv", "memory,fits")
    found = {
        "training memory": ("memory", "source", PLAYBOOK),
        "training memory, reserved": ("memory", "regime", "reserved"),
        "training fits": ("fits", "source", PLAYBOOK),
    }
    return [
        entry(name, group)
        for name, (metric, key, value) in found.items()
        for group in document["groups"]
        if group["metric"] == metric and group["by"].get(key, "").startswith(value)
    ]


def count(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def readme_rows(entries: list[Figures]) -> dict[str, str]:
    """The rows of README's table by their first cell."""
    by_name = {one["name"]: one for one in entries}
    memory, fits = by_name["training memory"], by_name["training fits"]
    errors, held_out = memory["in_sample"], memory["cross_validated"]
    return {
        "memory that nanotron logs, H100": (
            f"median {errors['median']:.2f} %, 90th percentile {errors['p90']:.2f} %, "
            f"worst {errors['worst']:.1f} % of {count(memory['rows'])} jobs; "
            f"cross-validated median {held_out['median']:.2f} %"
        ),
        "whether a nanotron job fits, H100": (
            f"{fits['in_sample']['right']:.1f} % right of {count(fits['rows'])} jobs, "
            f"cross-validated {fits['cross_validated']['right']:.1f} %; "
            f"the commoner answer {fits['baselines']['majority']['right']:.1f} %"
        ),
    }


def readme_with(rows: dict[str, str], text: str) -> str:
    for prediction, error in rows.items():
        line = f"| {prediction} | {error} |"
        text, found = re.subn(rf"^\| {re.escape(prediction)} \|.*\|$", line, text, flags=re.M)
        if found != 1:
            sys.exit(f"README.md: has {found} rows '| {prediction} |'; give it one")
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--readme", action="store_true", help="from docs/accuracy.json alone")
    if not parser.parse_args().readme:
        document = {"unit": "percent", "sets": measure()}
        FILE.write_text(json.dumps(document, indent=2) + "\n")
    rows = readme_rows(json.loads(FILE.read_text())["sets"])
    README.write_text(readme_with(rows, README.read_text()))


if __name__ == "__main__":
    main()
