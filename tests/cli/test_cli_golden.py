# SPDX-License-Identifier: Apache-2.0
"""Whole outputs. A change of a figure or a word shows here as a diff; ROOFCAST_UPDATE_GOLDEN=1 accepts it."""

import os
import re
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"

CASES = {
    "overview": "help",
    "help_predict_train": "predict train --help",
    "help_predict_decode": "help predict decode",
    "decode_70b_8xh100": "predict decode --model llama-3.1-70b --cluster h100-sxm:8 --tp 8 --batch 32 --context 4096",
    "decode_70b_1xh100": "predict decode --model llama-3.1-70b --cluster h100-sxm:1 --context 4096",
    "decode_quiet": "predict decode --model llama-3.1-8b --cluster h100-sxm:1 --context 1024 --quiet",
    "decode_table": "predict decode --model llama-3.1-70b --cluster h100-sxm:8 --tp 1..4 --batch 1,32 --context 4096",
    "decode_csv": "predict decode --model llama-3.1-70b --cluster h100-sxm:8 --tp 1..4 --batch 32 --context 4096 --csv",
    "prefill_70b_8xh100": "predict prefill --model llama-3.1-70b --cluster h100-sxm:8 --tp 8 --input 4096",
    "train_70b_64xh100": "predict train --model llama-3.1-70b --cluster h100-sxm:64 --tp 8 --pp 4 --global-batch 512"
    " --sequence 8192",
    "train_table": "predict train --model llama-3.1-8b --cluster h100-sxm:8 --micro-batch 1..4*2 --zero 0,1"
    " --recompute full --global-batch 64 --sequence 4096",
    "memory_deepseek_v3": "memory --model deepseek-v3 --cluster h200-sxm:8 --tp 8 --max-length 32768",
    "memory_table": "memory --model llama-3.1-8b --cluster l40s:4 --tp 1,2,4 --max-length 8192",
    "show_h100": "show h100-sxm",
    "show_model": "show mixtral-8x7b",
    "show_cluster": "show dgx-h100",
    "list_links": "list links",
}


def rounded(text: str) -> str:
    """Nine digits of every long number: the last ones may differ between processors."""
    return re.sub(r"\b\d+\.\d{9,}\b", lambda number: f"{float(number[0]):.9g}", text)


@pytest.mark.parametrize("name", CASES)
def test_output_is_the_golden_one(roofcast, name: str) -> None:
    shown = roofcast.text(*CASES[name].split())
    path = GOLDEN / f"{name}.txt"
    text = f"$ roofcast {CASES[name]}\n{rounded(shown)}"
    if os.environ.get("ROOFCAST_UPDATE_GOLDEN") == "1":
        path.write_text(text)
    assert path.exists(), "run once with ROOFCAST_UPDATE_GOLDEN=1 and look at the file"
    assert text == path.read_text()


def test_every_golden_file_is_of_a_case() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == set(CASES)


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith(("decode_7", "prefill", "train_7", "mem"))])
def test_a_report_fits_a_hundred_columns(roofcast, name: str) -> None:
    lines = roofcast.text(*CASES[name].split()).splitlines()
    assert [line for line in lines if len(line) > 100] == []
    assert [line for line in lines if re.search(r"\s$|\x1b", line)] == []
