# SPDX-License-Identifier: Apache-2.0
"""Every error that was measured: docs/accuracy.json, and the rows of README's table that state it.

    python docs/accuracy.py           # rewrites both from the measured data ("make accuracy")
    python docs/accuracy.py --reports DIR  # the same from reports that calibration/fit_all.py kept
    python docs/accuracy.py --readme  # rewrites README.md from docs/accuracy.json alone

The data is $ROOFCAST_DATA, else shared/data beside the checkout. Figures are percent.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
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


def weighted(series: list[dict], mode: str | None, figure: str) -> float:
    """Mean over all rows of several series; each by its better mode where none is asked for."""
    errors = [(one["rows"], one["errors"][mode or one["mode"]][figure]) for one in series]
    return sum(rows * error for rows, error in errors) / sum(rows for rows, _ in errors)


def cell(device: str, family: str, format: str | None, series: list[dict]) -> Figures:
    """One family on one device, or one of its number formats: every row that the tables hold."""
    return {
        "name": f"{family} {device}" + (f" {format}" if format else ""),
        "by": {"gpu": device, "family": family} | ({"format": format} if format else {}),
        "metric": "latency",
        "rows": sum(one["rows"] for one in series),
        "refused": 0,
        "excluded": {},
        "in_sample": {"mape": round(weighted(series, "in_sample", "mape"), 2)},
        "cross_validated": {"mape": round(weighted(series, None, "mape"), 2)},
        "analytical": {"mape": round(weighted(series, "analytical", "mape"), 2)},
        "baselines": {
            "roofline": {"mape": round(weighted(series, "roofline", "mape"), 2)},
            "datasheet": {"mape": round(weighted(series, "datasheet", "mape"), 2)},
        },
        "coverage90": round(
            sum(one["rows"] * one["coverage90"] for one in series)
            / sum(one["rows"] for one in series),
            1,
        ),
        "series": [
            {
                "name": one["name"],
                "rows": one["rows"],
                "keys": one["keys"],
                "mode": one["mode"],
                "mape": round(one["errors"][one["mode"]]["mape"], 2),
                "median": round(one["errors"][one["mode"]]["median"], 2),
                "coverage90": round(one["coverage90"], 1),
                "starts": f"{one['agreeing_starts']} of {one['starts']}",
            }
            for one in series
        ],
    }


def operators(reports: Path) -> list[Figures]:
    """Cross-validated errors of every fit, by device, family and number format."""
    cells = []
    for report in sorted(reports.glob("*.json")):
        document = json.loads(report.read_text())
        families: dict[str, list[dict]] = {}
        for one in document["series"]:
            families.setdefault(one["family"], []).append(one)
        for family, series in families.items():
            formats: dict[str, list[dict]] = {}
            for one in series:
                formats.setdefault(one["format"], []).append(one)
            cells.append(cell(document["device"], family, None, series))
            if len(formats) > 1:
                cells += [
                    cell(document["device"], family, format, of) for format, of in formats.items()
                ]
        cells += [
            {
                "name": f"sibling {one['family']} {one['to']}",
                "by": {"gpu": one["to"], "family": one["family"], "fit": one["from"]},
                "metric": "latency",
                "rows": one["rows"],
                "left_out": {key: round(one[key], 3) for key in ("mape", "median", "bias")},
                "coverage90": round(one["coverage90"], 1),
                "widening": round(one["widening"], 4),
            }
            for one in document["siblings"]
        ]
    return cells


def fit_reports(folder: Path) -> Path:
    """Fits every device again and keeps the reports; the fits themselves go with them."""
    words = [sys.executable, str(ROOT / "calibration/fit_all.py"), str(data_folder() / "gpu_micro")]
    words += ["--output", str(folder), "--reports", str(folder)]
    subprocess.run(words, check=True)
    return folder


def count(number: int) -> str:
    return f"{number:,}".replace(",", " ")


# What README calls the families, and the devices that were measured in full.
FAMILIES = {
    "gemm": "matrix products, all number formats",
    "prefill": "attention, prefill",
    "decode": "attention, decode",
    "mla_prefill": "latent attention, prefill",
    "mla_decode": "latent attention, decode",
    "encoder": "attention, encoder",
    "moe": "experts, all number formats",
    "elementwise": "passes over memory",
}
DEVICES = ("a100-sxm", "h100-sxm", "h200-sxm", "b200", "l40s")


def percents(entries: list[Figures | None], *keys: str) -> str:
    """Of each entry the figure that the keys lead to: "5.1 / 6.0 / - %"."""
    texts = []
    for one in entries:
        value = one
        for key in keys if one else ():
            value = value[key]
        texts.append(f"{value:.1f}" if one else "-")
    return " / ".join(texts) + " %"


def operator_rows(operators: list[Figures]) -> dict[str, str]:
    by_name = {one["name"]: one for one in operators}
    rows = {}
    for family, words in FAMILIES.items():
        cells = [by_name.get(f"{family} {device}") for device in DEVICES]
        rows[words] = (
            f"{percents(cells, 'cross_validated', 'mape')} on A100 / H100 / H200 / B200 / L40S; "
            f"a fitted roofline {percents(cells, 'baselines', 'roofline', 'mape')}"
        )
    chosen = ("gemm", "prefill", "decode", "moe")
    siblings = [by_name[f"sibling {family} h200-sxm"] for family in chosen]
    pooled = [by_name[f"{family} pooled"] for family in chosen]
    rows["the same on H200 by H100's fit"] = (
        f"{percents(siblings, 'left_out', 'mape')} for products / prefill / decode / experts"
    )
    rows["the same on an architecture left out"] = (
        f"{percents(pooled, 'cross_validated', 'mape')} for products / prefill / decode / experts"
    )
    return rows


def readme_rows(entries: list[Figures], operators: list[Figures]) -> dict[str, str]:
    """The rows of README's table by their first cell."""
    by_name = {one["name"]: one for one in entries}
    memory, fits = by_name["training memory"], by_name["training fits"]
    errors, held_out = memory["in_sample"], memory["cross_validated"]
    return operator_rows(operators) | {
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
    parser.add_argument("--reports", type=Path, help="of calibration/fit_all.py, made before")
    words = parser.parse_args()
    if not words.readme:
        with tempfile.TemporaryDirectory() as folder:
            reports = words.reports or fit_reports(Path(folder))
            measured = {"unit": "percent", "sets": measure(), "operators": operators(reports)}
        FILE.write_text(json.dumps(measured, indent=1) + "\n")
    document = json.loads(FILE.read_text())
    rows = readme_rows(document["sets"], document["operators"])
    README.write_text(readme_with(rows, README.read_text()))


if __name__ == "__main__":
    main()
