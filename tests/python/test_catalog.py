# SPDX-License-Identifier: Apache-2.0
"""The hardware catalog: one new accelerator is one new file, and public data's names are known."""

import csv
import subprocess
from pathlib import Path

import pytest
from repository import ROOT

import roofcast as rc

# A whole accelerator, with its own bibliography: nothing else is added.
NEW_CHIP = """\
name: new-chip
title: New Chip 128GB
vendor: Us
architecture: ours
kind: npu
aliases: [NC-1, New Chip 128GB HBM4]
{node}references:
  sheet: {{title: Data sheet of the New Chip, kind: datasheet, year: 2026}}
from: sheet
launch_year: 2026
compute_units: 64
clock: 2 GHz
peak: {{bf16: 1000 TFLOP/s, fp8: 2000 TFLOP/s}}
vector_peak: {{fp32: 50 TFLOP/s}}
memory: {{technology: HBM4, capacity: 128 GB, bandwidth: 8 TB/s}}
power: 1 kW
"""


@pytest.fixture
def new_chip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The new file in a folder of the search path, where the built-in catalog knows nothing of it."""
    with pytest.raises(rc.NotFoundError):
        rc.load_device("new-chip")
    file = tmp_path / "accelerators" / "new_chip.yaml"
    file.parent.mkdir()
    file.write_text(NEW_CHIP.format(node="default_node: dgx-h100\n"))
    monkeypatch.setenv("ROOFCAST_PATH", str(tmp_path))
    return file


def test_one_new_file_is_a_device_to_predict_on(new_chip: Path, llama_8b: rc.Llm) -> None:
    assert "new-chip" in rc.list_devices()
    device = rc.load_device("NC-1")
    assert (device.name, device.file) == ("new-chip", str(new_chip))
    assert device.ridge_points["bf16"] == pytest.approx(1000 / 8)
    assert device.time_to_read_memory_s == pytest.approx(128 / 8000)

    cluster = rc.load_cluster("new-chip:8")
    assert (cluster.devices, cluster.nodes, cluster.tiers[0].devices) == (8, 1, 8)
    alone = rc.predict_decode(llama_8b, rc.load_cluster("new-chip"), context=1024)
    joined = rc.predict_decode(llama_8b, cluster, rc.Plan(tp=8), context=1024)
    known = rc.predict_decode(llama_8b, rc.load_cluster("h100-sxm"), context=1024)
    assert joined.time_s < alone.time_s < known.time_s  # 8 TB/s against 3.35


def test_the_command_knows_it_by_name_and_alias(new_chip: Path, command: str) -> None:
    def run(*words: str) -> str:
        return subprocess.run([command, *words], capture_output=True, text=True, check=True).stdout

    assert run("lint", str(new_chip)).startswith("1 file, no problem")
    assert "new-chip" in run("list", "devices")
    assert "125 FLOP/B" in run("show", "new-chip")
    line = run(
        *("predict", "decode", "--model", "llama-3.1-8b", "--cluster", "NC-1:8"),
        *("--tp", "8", "--context", "1024", "--quiet"),
    )
    assert line.startswith("decode  llama-3.1-8b on NC-1:8, tp8: ")


def test_without_a_node_it_stands_alone(new_chip: Path, llama_8b: rc.Llm) -> None:
    new_chip.write_text(NEW_CHIP.format(node=""))
    assert rc.load_device("new-chip").default_node is None
    alone = rc.load_cluster("new-chip")
    assert (alone.devices, alone.tiers) == (1, ())
    assert rc.predict_decode(llama_8b, alone, context=1024).time_s > 0
    assert rc.predict_prefill(llama_8b, alone, input=1024).time_s > 0
    assert rc.predict_train_step(llama_8b, alone, global_batch=1, sequence=1024).time_s > 0
    with pytest.raises(rc.ArgumentError, match="names no node, so what joins 8 of it is not known"):
        rc.load_cluster("new-chip:8")


def test_every_device_makes_clusters_by_count() -> None:
    names = rc.list_devices()
    assert len(names) >= 70
    for name in names:
        device = rc.load_device(name)
        assert rc.load_cluster(f"{name}:1").device == device
        assert set(device.ridge_points) == set(device.peak_flops_per_s)
        assert device.time_to_read_memory_s > 0
        for alias in device.aliases:
            assert rc.load_device(alias) == device


# Names in the tables of measurements that no file of the catalog is for.
UNKNOWN = {
    "(UCI machine; see Rapid-LLM uci_inf.py)": "names no device",
    "3070 8GB": "a GeForce card that is not in the catalog",
    "3080 10GB": "a GeForce card that is not in the catalog",
    "3080 Ti 12GB": "a GeForce card that is not in the catalog",
    "4070 Ti 12GB": "a GeForce card that is not in the catalog",
    "4080 16GB": "a GeForce card that is not in the catalog",
    "RTX 5000 Ada 32GB": "not in the catalog; not the RTX 6000 Ada",
    "AMD_Instinct_MI250": "104 units a die; the catalog has the MI250X with 110",
    "Tesla_P100-PCIE-16GB": "older than what the catalog holds",
    "Tesla_P4": "older than what the catalog holds",
    "M1 7\u2011Core GPU 8GB": "another kind of M1 than the catalog's",
    "Apple M2 Pro (12/19/32) GPU": "not in the catalog",
    "Apple M2 Pro (12/19/32) CPU": "not in the catalog",
    "Intel i9-13900K DDR5-6400 CPU": "not in the catalog",
    "Mac Pro 2019 Intel 16-core CPU": "not in the catalog",
}
TABLES = {
    "inference_measured.csv": "gpu",
    "training_measured.csv": "gpu",
    "serving_silicon.csv": "system",
    "neusight_e2e_summary.csv": "device",
}


def names_in(data: Path) -> set[str]:
    names: set[str] = set()
    for file in (data / "gpu_micro").glob("*.csv"):
        names.add(file.name.split("__")[0])
        with file.open(newline="") as lines:
            names.update(row["gpu"] for row in csv.DictReader(lines))
    for file_name, column in TABLES.items():
        with (data / "e2e" / file_name).open(newline="") as lines:
            names.update(row[column] for row in csv.DictReader(lines))
    return names


def test_names_of_the_measurements_are_known() -> None:
    data = ROOT.parent / "shared" / "data"
    if not (data / "gpu_micro").is_dir():
        pytest.skip("the measurements in ../shared/data aren't there")
    names = names_in(data)
    assert set(UNKNOWN) <= names, "no longer in the tables; leave them out here"
    for name in sorted(names):
        if name in UNKNOWN:
            with pytest.raises(rc.NotFoundError):
                rc.load_cluster(name)
        else:
            rc.load_cluster(name)


# Spellings of other tools and of cloud APIs, and what they stand for.
SPELLINGS = {
    "M3 Max 40-Core GPU 64GB": "apple-m3-max-64gb",
    "A100-SXM4-80GB": "a100-sxm",
    "b300_sxm_288g": "b300",
    "gb200_186g": "gb200",
    "rtx_pro_6000_server_96g": "rtx-pro-6000-server",
    "NVIDIA A10G": "a10g",
    "TPU v5e": "tpu-v5e",
    "v5litepod": "tpu-v5e",
    "Trillium": "tpu-v6e",
    "trn2": "trainium2",
    "NVIDIA_H100_80GB_HBM3": "h100-sxm",
    "NVIDIA GeForce RTX 4090": "rtx-4090",
    "AMD Instinct MI250X": "mi250x",
    "Gaudi 3": "gaudi3",
    "Xeon Platinum 8480+": "xeon-8480",
}


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_others_are_known(spelling: str) -> None:
    assert rc.load_device(spelling).name == SPELLINGS[spelling]
