# SPDX-License-Identifier: Apache-2.0
"""Bad input raises roofcast's own errors, with the library's messages."""

import os
import pickle
from pathlib import Path

import pytest

import roofcast as rc
from tests.python.repository import ROOT

pytestmark = pytest.mark.wheel


def test_hierarchy() -> None:
    assert issubclass(rc.Error, Exception)
    assert rc.SpecError.__bases__ == (rc.Error, ValueError)
    assert rc.NotFoundError.__bases__ == (rc.Error, LookupError)
    assert rc.ArgumentError.__bases__ == (rc.Error, ValueError)
    assert rc.SpecError.__module__ == "roofcast"


@pytest.mark.parametrize(
    ("load", "name", "nearest"),
    [
        (rc.load_llm, "llama-3.1-80b", "llama-3.1-"),
        (rc.load_device, "h100-smx", "h100-sxm"),
        (rc.load_cluster, "h100-smx:8", "h100-sxm"),
    ],
)
def test_misspelt_name_gets_the_nearest(load: object, name: str, nearest: str) -> None:
    with pytest.raises(rc.NotFoundError, match=f"did you mean '{nearest}"):
        load(name)  # type: ignore[operator]


def test_all_problems_of_a_file_are_listed(tmp_path: Path) -> None:
    file = tmp_path / "my_gpu.yaml"
    file.write_text("name: my-gpu\ntitel: Mine\nmemory:\n  capacity: 80 GB/s\n")
    with pytest.raises(rc.SpecError) as caught:
        rc.load_device(file)
    problems = caught.value.problems
    assert len(problems) > 2
    assert str(caught.value).splitlines() == [str(problem) for problem in problems]
    first = next(problem for problem in problems if "title" in problem.cure + problem.text)
    assert (first.file, first.line, first.column) == (str(file), 2, 1)


@pytest.mark.parametrize("value", [True, 2.0, "2", None, [2], 1 + 0j])
def test_counts_are_whole_numbers(value: object, llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    with pytest.raises(rc.ArgumentError, match="^batch=.*: needs a whole number; use an int$"):
        rc.predict_decode(llama_8b, h100, batch=value, context=16)  # type: ignore[arg-type]
    with pytest.raises(rc.ArgumentError, match="^tp=.*: needs a whole number; use an int$"):
        rc.Plan(tp=value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [-1, 0, 2**62, 2**63, 10**30, -(10**30)])
def test_counts_have_a_range(value: int, llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    with pytest.raises(rc.ArgumentError, match="^batch=-?[0-9]+: "):
        rc.predict_decode(llama_8b, h100, batch=value, context=16)
    with pytest.raises(rc.ArgumentError, match="devices.*; use a"):
        rc.load_cluster("h100-sxm", devices=value)


@pytest.mark.parametrize("value", [-1, 2**62])
def test_every_load_has_a_range(value: int, llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    for call in (
        lambda: rc.predict_decode(llama_8b, h100, context=value),
        lambda: rc.predict_prefill(llama_8b, h100, input=value),
        lambda: rc.predict_train_step(llama_8b, h100, global_batch=value, sequence=16),
        lambda: rc.predict_train_step(llama_8b, h100, global_batch=1, sequence=value),
        lambda: rc.memory(llama_8b, h100, max_length=value),
        lambda: rc.predict_decode(llama_8b, h100, rc.Plan(tp=value), context=1),
        lambda: rc.predict_decode(llama_8b, h100, rc.Plan(pp=value), context=1),
        lambda: rc.predict_decode(llama_8b, h100, rc.Plan(replicas=value), context=1),
        lambda: rc.predict_train_step(
            llama_8b, h100, rc.Plan(micro_batch=value), global_batch=1, sequence=16
        ),
    ):
        with pytest.raises(rc.ArgumentError, match=": "):
            call()


def test_numpy_integers_are_whole_numbers(llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    numpy = pytest.importorskip("numpy")
    plain = rc.predict_decode(llama_8b, h100, batch=4, context=64)
    for kind in (numpy.int32, numpy.int64, numpy.uint8):
        assert rc.predict_decode(llama_8b, h100, batch=kind(4), context=kind(64)) == plain
    for value in (numpy.bool_(True), numpy.float64(4), numpy.array([1, 2])):
        with pytest.raises(rc.ArgumentError, match="needs a whole number"):
            rc.predict_decode(llama_8b, h100, batch=value, context=64)


def test_words_are_checked(llama_70b: rc.Llm, h100_node: rc.Cluster) -> None:
    with pytest.raises(rc.ArgumentError, match="weights='fp7': unknown number format; use fp64"):
        rc.predict_decode(llama_70b, h100_node, weights="fp7", context=16)
    with pytest.raises(rc.ArgumentError, match="weights=q4_k_m: nothing trains in it"):
        rc.predict_train_step(llama_70b, h100_node, global_batch=8, sequence=64, weights="q4_k_m")
    with pytest.raises(rc.ArgumentError, match="kv=8: needs text"):
        rc.predict_decode(llama_70b, h100_node, kv=8, context=16)  # type: ignore[arg-type]
    with pytest.raises(rc.ArgumentError, match="recompute='some': is unknown; use none, selective or full"):
        rc.Plan(recompute="some")
    with pytest.raises(rc.ArgumentError, match="flops-convention: unknown '7N'; use 6P"):
        rc.predict_train_step(
            llama_70b, h100_node, global_batch=8, sequence=16, flops_convention="7N"
        )
    with pytest.raises(rc.ArgumentError, match="tp=3: does not divide 64 query heads"):
        rc.predict_decode(llama_70b, h100_node, rc.Plan(tp=3), context=16)
    with pytest.raises(rc.ArgumentError, match="plan: .* not a degree"):
        rc.predict_decode(llama_70b, h100_node, "tp8-xy2", context=16)
    with pytest.raises(rc.NotFoundError):
        rc.predict_decode(llama_70b, h100_node, fits="nobody-fitted-this", context=16)
    with pytest.raises(rc.ArgumentError, match="name=None: needs a name or a path"):
        rc.load_device(None)  # type: ignore[arg-type]


def test_all_but_llm_cluster_and_plan_go_by_keyword(llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    with pytest.raises(TypeError):
        rc.predict_decode(llama_8b, h100, None, 16)  # type: ignore[misc, call-arg]
    with pytest.raises(TypeError):
        rc.Plan(8)  # type: ignore[misc]
    with pytest.raises(TypeError):
        rc.predict_decode("llama-3.1-8b", h100, context=16)  # type: ignore[arg-type]


def one_of_each_class(llm: rc.Llm, cluster: rc.Cluster) -> dict[str, object]:
    step = rc.predict_decode(llm, cluster, context=16)
    with pytest.raises(rc.SpecError) as caught:
        rc.load_device(Path(__file__))
    device = cluster.device
    found: list[object] = [llm, llm.kinds[0], llm.parameters, cluster, cluster.node, device]
    found += [cluster.node.host, device.memory, cluster.tiers[0], cluster.tiers[0].link]
    found += [device.source("memory.bandwidth"), step, step.memory, step.breakdown()]
    found += [step.sources()[0], caught.value.problems[0]]
    return {type(one).__name__: one for one in found}


def test_only_plans_are_pickled(llama_8b: rc.Llm, h100_node: rc.Cluster) -> None:
    plan = rc.Plan(tp=8, micro_batch=2, recompute="full", sequence_parallel=False)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(plan, protocol)) == plan
    for name, one in one_of_each_class(llama_8b, h100_node).items():
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            with pytest.raises(TypeError, match=f"^{name} can't be pickled"):
                pickle.dumps(one, protocol)
            with pytest.raises(TypeError, match=f"^{name} can't be pickled"):
                one.__reduce_ex__(protocol)
        with pytest.raises(TypeError, match=f"^{name} can't be pickled"):
            one.__reduce__()
    with pytest.raises(TypeError, match="^Llm can't be pickled; load it again by name with load_"):
        pickle.dumps(llama_8b)


def test_new_alone_makes_nothing_that_is_read(llama_8b: rc.Llm, h100_node: rc.Cluster) -> None:
    for one in [rc.Plan(), *one_of_each_class(llama_8b, h100_node).values()]:
        cls = type(one)
        empty = cls.__new__(cls)
        for name in [name for name, value in vars(cls).items() if isinstance(value, property)]:
            with pytest.raises(TypeError, match="never constructed"):
                getattr(empty, name)
        with pytest.raises(TypeError, match="never constructed"):
            repr(empty)
        if cls is not rc.Plan:
            with pytest.raises(TypeError, match="No constructor"):
                cls()


def test_text_that_is_none(llama_8b: rc.Llm, h100: rc.Cluster) -> None:
    for text, fault in (("fp8\udc80", "is not valid text"), ("fp8\0", "has a NUL in it")):
        with pytest.raises(rc.ArgumentError, match=f"^kv='fp8.*': {fault}; use a str"):
            rc.predict_decode(llama_8b, h100, kv=text, context=16)
        with pytest.raises(rc.ArgumentError, match=f"^text='fp8.*': {fault}"):
            rc.Plan.parse(text)
        with pytest.raises(rc.ArgumentError, match=f"^replace='fp8.*': {fault}"):
            rc.Plan().replace(**{text: 1})
    for load in (rc.load_llm, rc.load_device, rc.load_cluster):
        with pytest.raises(rc.ArgumentError, match=r"^name\w*='h100.x00': has a NUL in it"):
            load("h100\0")
        with pytest.raises(rc.ArgumentError, match=r"^name\w*='h100.ud800': is not valid text"):
            load("h100\ud800")
        with pytest.raises(rc.Error):
            load("h100\udc80")


def test_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    file = tmp_path / os.fsdecode(b"gpu-\xff.yaml")
    file.write_text("name: my-gpu\n")
    with pytest.raises(rc.SpecError) as caught:
        rc.load_device(file)
    assert caught.value.problems[0].file == str(file)
    assert r"gpu-\xFF.yaml" in str(caught.value)
    assert str(caught.value).encode()


def test_lists_show_names_that_are_not_utf8(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "models"
    models.mkdir()
    (models / os.fsdecode(b"mine-\xff.json")).write_text("{}")
    monkeypatch.setenv("ROOFCAST_PATH", str(tmp_path))
    assert os.fsdecode(b"mine-\xff") in rc.list_models()


def test_an_engine_whose_figures_cannot_be_is_refused(tmp_path) -> None:
    text = (ROOT / "models/engines/vllm_v1.yaml").read_text()
    path = tmp_path / "vllm_v1.yaml"
    path.write_text(text.replace("fraction: {value: 0.9", "fraction: {value: 1.5").replace('"0.10"', "banana"))
    llm, cluster = rc.load_llm("llama-3.1-8b"), rc.load_cluster("h100-sxm", devices=1)
    with pytest.raises(rc.SpecError) as caught:
        rc.memory(llm, cluster, max_length=4096, engine=str(path))
    assert "admission.fraction: is above 1; it is a share" in str(caught.value)
    assert "admission.first_version: 'banana' is no version" in str(caught.value)
