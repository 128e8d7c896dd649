# SPDX-License-Identifier: Apache-2.0
"""Models, accelerators and clusters of one's own, and the verbs that look at them."""

import json
import os
from pathlib import Path

import pytest

ZOO = Path(__file__).parents[2] / "models/llm/zoo"


def predict(roofcast, model: str, cluster: str = "h100-sxm:1", **settings: str) -> dict:
    words = ("predict", "decode", "--model", model, "--cluster", cluster, "--context", "1024")
    return roofcast.json(*words, **settings)


def test_does_not_fit_is_an_answer(roofcast) -> None:
    words = ("predict", "decode", "--model", "llama-3.1-70b", "--cluster", "h100-sxm:1", "--context", "1024")
    step = roofcast.json(*words)
    assert step["fits"] is False and step["time_s"] > 0
    over = -step["memory"]["headroom_bytes"] / 2**30
    assert step["why"] == [
        f"does not fit, {over:.1f} GiB over on each rank of stage 0: needs "
        f"{step['memory']['bytes']['bytes'] / 2**30:.0f} GiB of {step['memory']['capacity_bytes'] / 2**30:.1f} GiB"
    ]
    assert f": does not fit, {over:.1f} GiB over; if it did: " in roofcast.text(*words).splitlines()[0]


@pytest.mark.parametrize("name", ["mine/config.json", "mine", "./mine/", "mine/../mine"])
def test_a_config_is_taken_by_path_or_folder(roofcast, name: str) -> None:
    (roofcast.folder / "mine").mkdir()
    (roofcast.folder / "mine/config.json").write_text((ZOO / "llama-3.1-8b.json").read_text())
    step = predict(roofcast, name)
    assert step["model"] == "mine" and step["time_s"] == predict(roofcast, "llama-3.1-8b")["time_s"]


DESCRIBED = """hidden: 4096
layers: 32
heads: 32
kv_heads: 8
vocabulary: 128256
tied_embeddings: false
gated: true
ffn: 14336
"""

ARGUMENTS = """# Llama 3 8B
--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --group-query-attention \\
--num-query-groups 8 --ffn-hidden-size 14336 --swiglu --max-position-embeddings 8192
--position-embedding-type rope --normalization RMSNorm --disable-bias-linear
--untie-embeddings-and-output-weights --vocab-size 128256 --bf16 --micro-batch-size 1
"""


def test_a_model_described_by_hand_is_taken_wherever_a_model_is(roofcast) -> None:
    (roofcast.folder / "mine.yaml").write_text(DESCRIBED)
    (roofcast.folder / "pretrain_gpt.args").write_text(ARGUMENTS)
    (roofcast.folder / "roofcast/models").mkdir(parents=True)
    (roofcast.folder / "roofcast/models/plan_b.yaml").write_text(DESCRIBED)
    zoo = predict(roofcast, "llama-3.1-8b")["time_s"]
    for name in ("mine.yaml", "pretrain_gpt.args", "plan-b"):
        assert predict(roofcast, name)["time_s"] == zoo
        assert "8030261248" in roofcast.text("show", name)
    assert "plan-b" in roofcast.text("list", "models")
    assert "no problem" in roofcast.text("lint", "mine.yaml", "pretrain_gpt.args")
    (roofcast.folder / "mine.yaml").write_text(DESCRIBED.replace("kv_heads: 8", "kv_heads: 5"))
    done = roofcast("lint", "mine.yaml")
    assert done.returncode == 2
    assert "mine.yaml:4:11: kv_heads: 5 does not divide heads 32" in done.stdout


def test_a_model_is_found_in_the_hugging_face_cache(roofcast) -> None:
    repository = roofcast.folder / "hf/hub/models--some-lab--some-model"
    (repository / "refs").mkdir(parents=True)
    (repository / "refs/main").write_text("abc123")
    (repository / "snapshots/abc123").mkdir(parents=True)
    (repository / "snapshots/abc123/config.json").write_text((ZOO / "llama-3.1-8b.json").read_text())
    step = predict(roofcast, "some-lab/some-model", HF_HOME=str(roofcast.folder / "hf"))
    assert step["model"] == "some-model"
    message = roofcast.refusal(
        *("predict", "decode", "--model", "some-lab/some-model", "--cluster", "h100-sxm", "--context", "1"),
        HF_HOME=str(roofcast.folder / "elsewhere"),
    )
    assert message.startswith("roofcast predict decode: model: no model 'some-lab/some-model'")


def test_an_accelerator_of_ones_own_predicts(roofcast, accelerator) -> None:
    step = predict(roofcast, "llama-3.1-8b", "./my_gpu.yaml:8")
    assert step["cluster"] == "./my_gpu.yaml:8"
    assert step["memory"]["capacity_bytes"] == 96e9
    assert any(source["place"].startswith("./my_gpu.yaml:") for source in step["sources"])


def test_a_file_beside_hides_the_one_built_in(roofcast) -> None:
    ours = (ZOO.parents[2] / "hardware/catalog/accelerators/h100_sxm.yaml").read_text()
    place = roofcast.folder / "roofcast/accelerators/h100_sxm.yaml"
    place.parent.mkdir(parents=True)
    place.write_text(ours.replace("bandwidth: 3350 GB/s", "bandwidth: 6700 GB/s"))
    assert "file     roofcast/accelerators/h100_sxm.yaml" in roofcast.text("show", "h100-sxm").splitlines()
    place.unlink()
    assert "file     hardware/catalog/accelerators/h100_sxm.yaml" in roofcast.text("show", "h100-sxm").splitlines()


def test_show_gives_every_figure_its_source(roofcast) -> None:
    for name in ("h100-sxm", "nvlink4", "dgx-h100", "coefficients", "epyc-9654"):
        for figure in roofcast.json("show", name)["figures"]:
            if "number" in figure and figure["name"] not in ("nodes",):
                assert figure["from"] and figure["kind"] and figure["place"], figure


def test_show_derives_the_ridge_point(roofcast) -> None:
    derived = {row["name"]: row["value"] for row in roofcast.json("show", "h100-sxm")["derived"]}
    assert derived["ridge point bf16"] == f"{989.4e12 / 3350e9:.0f} FLOP/B"
    assert derived["memory : nvlink"] == f"{3350 / 450:.2f} : 1"


def test_show_takes_paths_and_aliases(roofcast, accelerator) -> None:
    assert roofcast.json("show", "./my_gpu.yaml")["name"] == "my-gpu"
    assert roofcast.json("show", "H100-80GB SXM")["name"] == "h100-sxm"
    assert roofcast.json("show", str(ZOO / "qwen3-8b.json"))["kind"] == "model"


def test_list_names_everything_that_predicts(roofcast) -> None:
    names = roofcast.json("list")
    assert {"llama-3.1-8b", "deepseek-v3"} <= {row["name"] for row in names["models"]}
    assert {"h100-sxm", "mi300x", "rtx-4090"} <= {row["name"] for row in names["devices"]}
    assert set(names) >= {"links", "clusters"}
    assert {"vllm-v1", "sglang", "llama-cpp"} <= {row["name"] for row in names["engines"]}
    assert not [row for kind in ("models", "devices", "links", "clusters") for row in names[kind]
                if "can't be read" in row["summary"]]  # fmt: skip


def test_one_broken_file_does_not_hide_the_others(roofcast) -> None:
    place = roofcast.folder / "roofcast/accelerators/broken.yaml"
    place.parent.mkdir(parents=True)
    place.write_text("name: broken\npeak: 3\n")
    rows = {row["name"]: row for row in roofcast.json("list", "devices")["devices"]}
    assert rows["broken"]["summary"].startswith("can't be read; 'roofcast lint ")
    assert "h100-sxm" in rows


def test_lint_finds_nothing_in_what_is_built_in(roofcast) -> None:
    shown = roofcast.text("lint")
    root = ZOO.parents[2]
    yamls = [*(root / "hardware").rglob("*.yaml"), *(root / "models/engines").glob("*.yaml")]
    yamls += (root / "models/validation/sources").glob("*.yaml")
    count = len(list(ZOO.glob("*.json"))) + len(yamls)
    assert shown == f"{count} files, no problem\n"


def test_lint_names_file_and_line_of_a_planted_fault(roofcast, accelerator) -> None:
    accelerator.write_text(accelerator.read_text().replace("from: my-notes\n", ""))
    (roofcast.folder / "config.json").write_text(json.dumps({"model_type": "perceiver"}))
    done = roofcast("lint", ".")
    assert (done.returncode, done.stderr) == (2, "")
    lines = done.stdout.splitlines()
    assert "./my_gpu.yaml:11:13: memory.capacity: no source; add 'from: <reference key>' here or on an enclosing block" \
        in lines  # fmt: skip
    assert [line for line in lines if line.startswith("./config.json:1:16: model_type: ")]
    assert lines[-1] == f"2 files, {len(lines) - 1} problems"
    rows = roofcast("lint", ".", "--json")
    assert rows.returncode == 2 and len(json.loads(rows.stdout)["problems"]) == len(lines) - 1


def test_lint_checks_fits_too(roofcast) -> None:
    text = (ZOO.parents[2] / "hardware/fits/assumed.yaml").read_text()
    (roofcast.folder / "assumed.yaml").write_text(text.replace("compute_efficiency: 0.75", "compute_efficiency: 1.75"))
    done = roofcast("lint", "assumed.yaml")
    assert done.returncode == 2
    assert ": coefficients.gemm.compute_efficiency: is above 1; an efficiency is a share of the peak" in done.stdout


def test_lint_without_a_file_is_a_problem(roofcast) -> None:
    (roofcast.folder / "empty").mkdir()
    done = roofcast("lint", "empty")
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout == (
        "empty: no catalog file in this folder; name files or a folder that has some\n0 files, 1 problem\n"
    )


def test_lint_goes_on_after_what_it_cannot_read(roofcast, accelerator) -> None:
    (roofcast.folder / "huge.yaml").write_bytes(b"#" * (16 * 2**20 + 1))
    done = roofcast("lint", ".", "nowhere.yaml", "--json")
    assert (done.returncode, done.stderr) == (2, "")
    answer = json.loads(done.stdout)
    assert answer["files"] == 3
    assert [(row["file"], row["text"], row["cure"]) for row in answer["problems"]] == [
        ("./huge.yaml", "larger than 16 MiB", "name a spec file"),
        ("nowhere.yaml", "no such file", "check the path"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_lint_names_a_folder_that_it_may_not_read(roofcast, accelerator) -> None:
    closed = roofcast.folder / "closed"
    closed.mkdir(mode=0)
    try:
        done = roofcast("lint", ".")
    finally:
        closed.chmod(0o755)
    assert (done.returncode, done.stderr) == (2, "")
    assert done.stdout == "./closed: can't be read: Permission denied; check its permissions\n1 file, 1 problem\n"


def test_weights_are_stored_in_a_format_by_name(roofcast) -> None:
    words = ("memory", "--model", "llama-3.1-8b", "--cluster", "h100-sxm:1", "--max-length", "1024")
    gguf = roofcast.json(*words, "--weights", "Q4_K_M", "--kv", "q8_0")
    # The published file takes 4,920,739,232 B, of which 7,841,184 are names and vocabulary.
    assert gguf["parameters"]["checkpoint_bytes"] == 4_920_739_232 - 7_841_184
    assert gguf["kv"]["bytes_per_token"] == 65536 * 34 / 32
    assert gguf["parameters"]["by_dtype"].keys() == {"F32", "q4_k", "q6_k"}


def test_a_checkpoint_in_single_bytes_and_words_shows_them(roofcast) -> None:
    config = json.loads((ZOO / "llama-3.1-8b.json").read_text())
    config["quantization_config"] = {"quant_method": "awq", "bits": 4, "group_size": 128}
    (roofcast.folder / "mine.json").write_text(json.dumps(config))
    text = roofcast.text("show", "./mine.json")
    assert "stored as I32" in text and "879230976" in text
    assert "quantisation     awq (int4)" in text
