# SPDX-License-Identifier: Apache-2.0
"""The shape of the Python interface: names, keywords, frozen values."""

import copy
import json
import pickle
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import roofcast as rc

pytestmark = pytest.mark.wheel

# Function -> its parameters, those after "*" by keyword alone.
SIGNATURES = {
    "load_llm": "name_or_path",
    "load_device": "name",
    "load_cluster": "name, *, devices=None",
    "predict_train_step": "llm, cluster, plan=None, *, global_batch, sequence, weights=None, "
    "activations=None, fits=None, mode=None, kernels=None, flops_convention='6P+12Lhs', "
    "engine=None",
    "training_memory": "llm, cluster, plan=None, *, global_batch, sequence, engine=None, "
    "optimizer=None, attention=None, gradients=None, moments=None, master=None, loss_chunk=None, "
    "weights=None, activations=None, fits=None",
    "predict_prefill": "llm, cluster, plan=None, *, input, batch=1, weights=None, "
    "activations=None, kv=None, fits=None, mode=None, kernels=None",
    "predict_decode": "llm, cluster, plan=None, *, context, batch=1, weights=None, "
    "activations=None, kv=None, fits=None, mode=None, kernels=None",
    "memory": "llm, cluster, plan=None, *, max_length=None, batch=1, engine=None, "
    "engine_version=None, memory_fraction=None, max_batched_tokens=None, max_sequences=None, "
    "block_size=None, kv_policy=None, weights=None, activations=None, kv=None, fits=None",
    "validate": "path, *, kind=None, metric=None",
    "Plan": "self, *, tp=1, pp=1, dp=0, micro_batch=1, zero=0, recompute='none', "
    "sequence_parallel=True, replicas=0, cp=1, ep=1, moe_tp=0, vpp=1, shard=0, stages=None",
    "list_models": "",
    "list_devices": "",
    "list_clusters": "",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_signature(name: str) -> None:
    routine = rc.Plan.__init__ if name == "Plan" else getattr(rc, name)
    line = routine.__doc__.split("\n")[0]
    inside = line[line.index("(") + 1 : line.rindex(") ->")]
    assert re.sub(r": [^,=]+?(?= = |, |$)", "", inside).replace(" = ", "=") == SIGNATURES[name]


def test_all_names_exist_and_are_few() -> None:
    assert rc.__all__ == sorted(rc.__all__)
    for name in rc.__all__:
        assert getattr(rc, name) is not None
    public = {name for name in vars(rc) if not name.startswith("_")}
    modules = {"importlib", "find_spec", "ModuleType", "TYPE_CHECKING", "os"}
    modules |= {"bench_torch", "calibration", "frame", "measurements", "plot"}
    assert public - modules <= set(rc.__all__)


def test_version_and_hashes() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", rc.__version__)
    assert re.fullmatch(r"[0-9a-f]{64}", rc.catalog_hash)
    assert re.fullmatch(r"[0-9a-f]{64}", rc.fits_hash)


def test_plan_is_its_text() -> None:
    plan = rc.Plan(tp=8, pp=4, dp=2, micro_batch=2, recompute="full")
    assert repr(plan) == str(plan) == "tp8-pp4-dp2"
    assert rc.Plan.parse("tp8-pp4") == rc.Plan(tp=8, pp=4)
    assert rc.Plan(**plan.to_dict()) == plan
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert copy.deepcopy(plan) == plan
    assert len({plan, copy.copy(plan), rc.Plan()}) == 2
    assert plan != rc.Plan() and plan != "tp8-pp4-dp2"


def test_plan_replace_changes_what_is_named() -> None:
    plan = rc.Plan(tp=8, micro_batch=2)
    assert plan.replace(tp=4) == rc.Plan(tp=4, micro_batch=2)
    assert plan.tp == 8
    with pytest.raises(TypeError, match="a plan has no 'micro_bach'; did you mean 'micro_batch'"):
        plan.replace(micro_bach=1)


def test_plan_may_be_given_as_text(llama_8b: rc.Llm, h100_node: rc.Cluster) -> None:
    by_text = rc.predict_decode(llama_8b, h100_node, "tp8", context=1024)
    assert by_text == rc.predict_decode(llama_8b, h100_node, rc.Plan(tp=8), context=1024)


def test_values_are_frozen(llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    step = rc.predict_decode(llama_8b, h100, context=1024)
    values = [llama_8b, h100, h100.device, h100.device.memory, h100.tiers[0].link, rc.Plan()]
    values += [step, step.memory, step.breakdown(), step.sources()[0], llama_8b.kinds[0]]
    for value in values:
        names = [name for name, one in vars(type(value)).items() if isinstance(one, property)]
        assert names
        for name in [*names, "new_name"]:
            with pytest.raises(AttributeError):
                setattr(value, name, 1)
    with pytest.raises(TypeError):
        h100.device.peak_flops_per_s["bf16"] = 1.0  # type: ignore[index]


def test_equal_values_are_equal(llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    assert rc.load_llm("llama-3.1-8b") == llama_8b
    assert rc.load_cluster("h100-sxm", devices=1).device == h100.device
    assert rc.load_device("h100-sxm") == rc.load_device("H100-80GB SXM")
    assert len({rc.load_device("h100-sxm"), h100.device}) == 1
    assert llama_8b != rc.load_llm("llama-3.1-70b")
    assert rc.load_device("a100-sxm") != h100.device


def test_cluster_count_in_the_name_or_beside_it() -> None:
    assert rc.load_cluster("h100-sxm:64").devices == 64
    assert rc.load_cluster("h100-sxm", devices=64).nodes == 8
    assert rc.load_cluster("h100-sxm").devices == 1


def test_device_attributes_carry_units_and_sources() -> None:
    device = rc.load_device("h100-sxm")
    assert device.memory.bandwidth_bytes_per_s == 3.35e12
    assert isinstance(device.launch_year, int)
    assert set(device.peak_flops_per_s) >= {"bf16", "fp8"}
    source = device.source("memory.bandwidth")
    assert source.key and source.kind and source.place.startswith(device.file + ":")
    assert device.to_dict()["memory"]["bandwidth_bytes_per_s"] == 3.35e12
    json.dumps(device.to_dict())
    with pytest.raises(rc.NotFoundError, match="did you mean 'memory.bandwidth'"):
        device.source("memory.bandwith")


def test_step_time(llama_70b: rc.Llm, h100_node: rc.Cluster) -> None:
    step = rc.predict_decode(llama_70b, h100_node, rc.Plan(tp=8), batch=32, context=4096)
    assert step.fits and step.why == ()
    assert 0.005 < step.time_s < 0.1
    low, high = step.interval_s
    assert 0 < low < step.time_s < high
    assert step.interval_level == 0.9
    assert step.bound == "memory" and step.mfu is None
    assert step.memory_bytes == step.memory.bytes == step.memory.ledger().bytes
    assert step.memory.capacity_bytes - step.memory_bytes == step.memory.headroom_bytes
    assert step.tokens_per_s == pytest.approx(32 / step.time_s)
    assert step.tokens_per_s_per_device == pytest.approx(step.tokens_per_s / 8)
    assert step.plan.tp == 8 and step.plan.replicas == 1
    assert {source.kind for source in step.sources()} >= {"datasheet", "fitted", "assumed"}
    assert "llama-3.1-70b on h100-sxm:8, tp8" in repr(step)
    assert "llama-3.1-70b on h100-sxm:8, tp8" in str(step).splitlines()[0]
    assert not str(step).endswith("\n")


def test_too_little_memory_is_a_result(llama_70b: rc.Llm, h100: rc.Cluster) -> None:
    step = rc.predict_decode(llama_70b, h100, context=1024)
    assert not step.fits and "over" in step.why[0]
    assert step.time_s > 0 and step.memory.headroom_bytes < 0
    assert "does not fit" in repr(step) and "does not fit" in step._repr_html_()


def test_breakdown_sums_to_the_step(llama_70b: rc.Llm) -> None:
    cluster = rc.load_cluster("h100-sxm", devices=64)
    step = rc.predict_train_step(llama_70b, cluster, "tp8-pp4", global_batch=64, sequence=4096)
    tree = step.breakdown()
    assert tree.time_s == step.time_s and tree.share == 1
    nodes = list(tree)
    assert nodes[0] == tree and len(nodes) > 10
    for node in nodes:
        if node.children:
            total = sum(child.time_s for child in node.children)
            assert total == pytest.approx(node.time_s, rel=1e-9)
    first = tree.children[0]
    assert tree[first.name] == first
    with pytest.raises(rc.NotFoundError, match="has no part 'nothing'; it has"):
        tree["nothing"]
    assert len(str(tree).splitlines()) == len(nodes) + 2
    assert tree._repr_html_().count("<tr>") == len(nodes) + 1


def test_nodes_outlive_their_step(llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    leaf = list(rc.predict_decode(llama_8b, h100, context=128).breakdown())[-1]
    assert leaf.name and leaf.time_s >= 0


def test_html_is_escaped(tmp_path: Path, h100: rc.Cluster, llama_8b: rc.Llm) -> None:
    file = tmp_path / "<img src=x>.json"
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 512,
        "intermediate_size": 1024, "num_hidden_layers": 2, "num_attention_heads": 8,
        "num_key_value_heads": 8, "vocab_size": 1000, "max_position_embeddings": 2048,
        "tie_word_embeddings": False, "torch_dtype": "bfloat16", "hidden_act": "silu",
        "rms_norm_eps": 1e-5, "attention_bias": False, "mlp_bias": False,
    }  # fmt: skip
    file.write_text(json.dumps(config))
    step = rc.predict_decode(rc.load_llm(file), h100, context=16)
    assert "<img" not in step._repr_html_()


def test_frames() -> None:
    pandas = pytest.importorskip("pandas")
    llm, cluster = rc.load_llm("llama-3.1-8b"), rc.load_cluster("h100-sxm:1")
    steps = [rc.predict_decode(llm, cluster, batch=n, context=1024) for n in (1, 2, 4)]
    frame = steps[0].breakdown().to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == len(list(steps[0].breakdown()))
    assert frame.time_s[0] == steps[0].time_s and frame.share[0] == 1
    assert steps[0].memory.ledger().to_frame().bytes[0] == steps[0].memory_bytes
    many = rc.frame.steps_frame(steps)
    assert list(many.time_s) == [step.time_s for step in steps]


def test_plots() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    step = rc.predict_decode(rc.load_llm("llama-3.1-8b"), rc.load_cluster("h100-sxm:1"), context=64)
    axes = rc.plot.breakdown(step, depth=2)
    assert axes.get_xlim()[1] == pytest.approx(step.time_s * 1e3)
    assert axes.get_legend() is not None
    axes = rc.plot.roofline(rc.load_device("h100-sxm"), points={"one": (100.0, 1e14)})
    assert len(axes.get_lines()) >= 2
    sys.modules["matplotlib.pyplot"].close("all")


def test_calibration_is_lazy_and_says_how_to_get_it() -> None:
    script = (
        "import sys, roofcast\n"
        "assert 'roofcast._calibration' not in sys.modules\n"
        "try:\n"
        "    roofcast.calibration\n"
        "except ImportError as error:\n"
        "    assert 'ROOFCAST_CALIBRATION=ON' in str(error), error\n"
        "else:\n"
        "    assert 'roofcast._calibration' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_threads_get_the_same_numbers(llama_70b: rc.Llm, h100_node: rc.Cluster) -> None:
    def predict(batch: int) -> dict[str, object]:
        return rc.predict_decode(llama_70b, h100_node, batch=batch, context=2048).to_dict()

    batches = [1 + n % 16 for n in range(64)]
    alone = [predict(batch) for batch in batches]
    for workers in (2, 8):
        with ThreadPoolExecutor(workers) as pool:
            assert list(pool.map(predict, batches)) == alone


def test_numbers_are_the_command_s(command: str, llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    words = "--model llama-3.1-8b --cluster h100-sxm:1 --json".split()
    asked = {
        "predict decode --batch 1 --context 1024": rc.predict_decode(
            llama_8b, h100, batch=1, context=1024
        ),
        "predict prefill --input 2048 --tp 1": rc.predict_prefill(
            llama_8b, h100, rc.Plan(tp=1), input=2048
        ),
        "predict train --global-batch 4 --sequence 512 --tp 1": rc.predict_train_step(
            llama_8b, h100, rc.Plan(tp=1), global_batch=4, sequence=512
        ),
        "memory --max-length 4096": rc.memory(llama_8b, h100, max_length=4096),
    }
    for line, answer in asked.items():
        run = subprocess.run([command, *line.split(), *words], capture_output=True, check=True)
        document = json.loads(run.stdout)
        document.pop("inputs", None)
        assert answer.to_dict() == document
        assert json.loads(answer.to_json()) == document


def test_plan_carries_every_degree_of_training() -> None:
    plan = rc.Plan(tp=2, pp=4, cp=2, ep=8, moe_tp=1, vpp=2, zero=3, shard=8, recompute="selective", stages="by-cost")
    assert str(plan) == "tp2-pp4-cp2-ep8-vpp2"
    assert rc.Plan(**plan.to_dict()) == plan and hash(rc.Plan(**plan.to_dict())) == hash(plan)
    assert plan.stages == "by-cost" and rc.Plan().stages is None
    assert rc.Plan(pp=2, stages="20,12").stages == "20,12"


def test_training_memory_is_that_of_the_step() -> None:
    llm, cluster = rc.load_llm("llama-3.1-8b"), rc.load_cluster("h100-sxm:8")
    plan = rc.Plan(tp=2, pp=2, zero=1)
    load = {"global_batch": 64, "sequence": 4096}
    memory = rc.training_memory(llm, cluster, plan, engine="nanotron", **load)
    step = rc.predict_train_step(llm, cluster, plan, engine="nanotron", **load)
    assert memory.bytes == step.memory_bytes and memory.phase == "forward"
    assert memory.logged_bytes < memory.bytes
    assert rc.training_memory(llm, cluster, plan, optimizer="adam-8bit", **load).bytes < memory.bytes
    with pytest.raises(rc.ArgumentError, match="optimizer='lion': is unknown; use adam, "):
        rc.training_memory(llm, cluster, plan, optimizer="lion", **load)
