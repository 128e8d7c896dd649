# SPDX-License-Identifier: Apache-2.0
"""Bad input: exit status 2 and the whole message, `place: thing: what is wrong; what to do`."""

import pytest

NUMBER = "is not a whole number; write one (8), a list (1,2,4) or a range (1..8, 0..100+20, 1..256*2)"
TRAIN = "predict train --model llama-3.1-8b --cluster h100-sxm:8 --global-batch 64 --sequence 4096"

# Words after `predict decode --model llama-3.1-8b --cluster h100-sxm:1 --context 1024`.
DECODE_REFUSALS = {
    "--tp 3": "tp=3: does not divide 32 query heads of llama-3.1-8b; use 1, 2, 4, 8, 16 or 32",
    "--tp 0": "tp=0: needs a whole number from 1; leave it out for the default",
    "--tp 2": "plan: tp 2 x pp 1 = 2 devices are more than the 1 of h100-sxm:1; use a smaller plan or a larger cluster",
    "--batch -1": "batch=-1: out of range; use a whole number from 1 to 1000000",
    "--batch 0": "batch=0: out of range; use a whole number from 1 to 1000000",
    "--batch 1000000000": "batch=1000000000: out of range; use a whole number from 1 to 1000000",
    "--batch 99999999999999999999": "--batch: '99999999999999999999' is too large; use at most 1000000000000",
    "--batch 1.5": f"--batch: '1.5' {NUMBER}",
    "--batch 1e3": f"--batch: '1e3' {NUMBER}",
    "--batch many": f"--batch: 'many' {NUMBER}",
    "--batch +4": f"--batch: '+4' {NUMBER}",
    "--batch": "--batch: has no value; write --batch N",
    "--batch --json": "--batch: has no value; write --batch N",
    "--batch 1 --batch 2": "--batch: given twice; write a list, as --batch 1,2",
    "--model llama-3.1-70b": "--model: given twice; keep one of them",
    "--bacth 1": "--bacth: unknown flag; did you mean '--batch'?",
    "--xyzzy": "--xyzzy: unknown flag; 'roofcast predict decode --help' lists the flags",
    "-json": "-json: unknown flag; did you mean '--json'?",
    "--zero 1": "--zero: no flag of this verb; it belongs to 'roofcast predict train', 'roofcast memory train'",
    "--json=yes": "--json: takes no value; write --json alone",
    "--json --csv": "--json and --csv: contradict each other; keep one of them",
    "--plan tp1 --tp 1": "--plan and --tp: contradict each other; keep one of them",
    "--plan tp1-tp2": "plan: tp is given twice in 'tp1-tp2'; keep one",
    "--plan fast": "plan: 'fast' in 'fast' is not a degree; write tp, pp, dp, cp, ep or vpp with a number,"
    " as tp8-pp4-dp2",
    "--weights bf17": "--weights: unknown number format 'bf17'; use fp64, fp32, tf32, fp16, bf16, fp8, int8, fp6, fp4, "
    "int4, nvfp4, mxfp4, awq, gptq, f16, q8_0, q6_k, q5_k_m, q5_k_s, q5_0, q4_k_m, q4_k_s, q4_0, iq4_nl, iq4_xs, q3_k_l, "
    "q3_k_m, q3_k_s or q2_k",
    "--fits asumed": "fits: no coefficients 'asumed'; did you mean 'assumed'?",
    "extra": "'extra': no names are taken here; write flags, as --model extra",
}


@pytest.mark.parametrize("words", DECODE_REFUSALS)
def test_decode_refuses(roofcast, decode, words: str) -> None:
    assert roofcast.refusal(*decode, *words.split()) == f"roofcast predict decode: {DECODE_REFUSALS[words]}"


TRAIN_REFUSALS = {
    "--tp 3": "tp=3: does not divide 32 query heads of llama-3.1-8b; use 1, 2, 4, 8, 16 or 32",
    "--tp 8 --micro-batch 3": "global-batch=64: is not a multiple of dp 1 x micro-batch 3; use a multiple of 3",
    "--zero 3 --tp 8": "zero=3: the time of sharded weights is not modelled yet; 'roofcast memory train' gives its"
    " memory",
    "--cp 2": "cp=2: the time of context parallelism is not modelled yet; 'roofcast memory train' gives its memory",
    "--recompute some": "--recompute: unknown 'some'; use none, selective or full",
    "--stages 1,x": "stages: '1,x' is neither a rule nor a list of layers; use even, by-cost or by-cost-passing, or as"
    " 20,20,21,19",
    "--engine nanatron": "engine: no engine 'nanatron'; did you mean 'nanotron'?",
    "--flops-convention 8P": "flops-convention: unknown '8P'; use 6P+12Lhs, 6P+6Lhs, 6P, 6M+12Lhs, 6M+6Lhs, 6M, 6N+12Lhs, 6N+6Lhs or 6N",
    "--sequence-parallel --no-sequence-parallel": "--sequence-parallel and --no-sequence-parallel: contradict each"
    " other; keep one of them",
    "--kv fp8": "--kv: no flag of this verb; it belongs to 'roofcast predict prefill', 'roofcast predict decode',"
    " 'roofcast memory'",
}


@pytest.mark.parametrize("words", TRAIN_REFUSALS)
def test_train_refuses(roofcast, words: str) -> None:
    assert roofcast.refusal(*TRAIN.split(), *words.split()) == f"roofcast predict train: {TRAIN_REFUSALS[words]}"


EXAMPLE = "roofcast predict decode --model llama-3.1-70b --cluster h100-sxm:8 --tp 8 --batch 32 --context 4096"
WHOLE_REFUSALS = {
    "predit": "roofcast: 'predit': unknown verb; did you mean 'predict'?",
    "frobnicate": "roofcast: 'frobnicate': unknown verb; 'roofcast help' lists them",
    "--json": "roofcast: --json: stands where a verb is needed; 'roofcast help' lists them",
    "predict": "roofcast predict: does not say what; write roofcast predict train, prefill or decode",
    "predict deocde": "roofcast predict: 'deocde': unknown; did you mean 'decode'?",
    "predict xyzzy": "roofcast predict: 'xyzzy': unknown; write roofcast predict train, prefill or decode",
    "predict decode --model llama-3.1-8b --context 1": f"roofcast predict decode: --cluster: is missing; write for"
    f" example\n  {EXAMPLE}",
    "predict decode": f"roofcast predict decode: --model, --cluster, --context: are missing; write for example\n"
    f"  {EXAMPLE}",
    "predict decode --model lama-3.1-8b --cluster h100-sxm --context 1": "roofcast predict decode: model: no model"
    " 'lama-3.1-8b'; did you mean 'llama-3.1-8b'? ('roofcast list models' names all)",
    "predict decode --model llama-3.1-8b --cluster h100-smx:8 --context 1": "roofcast predict decode: cluster: no device"
    " or cluster 'h100-smx'; did you mean 'h100-sxm'?",
    "predict decode --model llama-3.1-8b --cluster h100-sxm:x --context 1": "roofcast predict decode: cluster:"
    " 'h100-sxm:x': 'x' is not a count of devices; write NAME:COUNT, as h100-sxm:8",
    "predict decode --model llama-3.1-8b --cluster ./mine.yaml:8 --context 1": "roofcast predict decode: ./mine.yaml:"
    " no such file; check the path",
    "list device": "roofcast list: 'device': no such list; did you mean 'devices'?",
    "list devices links": "roofcast list: 'links': one name too many; leave out links",
    "show": "roofcast show: does not say what to show; write for example 'roofcast show h100-sxm'",
    "show h100-smx": "roofcast show: 'h100-smx': no device, link, cluster, model or engine of that name; did you mean"
    " 'h100-sxm'?",
}


@pytest.mark.parametrize("words", WHOLE_REFUSALS)
def test_command_refuses(roofcast, words: str) -> None:
    assert roofcast.refusal(*words.split()) == WHOLE_REFUSALS[words]


def test_an_empty_value_is_none(roofcast, decode) -> None:
    assert roofcast.refusal(*decode, "--batch", "") == (
        "roofcast predict decode: --batch: has no value; write --batch N"
    )


def test_broken_yaml_names_line_and_column(roofcast) -> None:
    (roofcast.folder / "gpu.yaml").write_text("name: gpu\npeak: {bf16: [1\n")
    message = roofcast.refusal("predict", "decode", "--model", "llama-3.1-8b", "--cluster", "./gpu.yaml:8",
                               "--context", "1")  # fmt: skip
    assert message.startswith("./gpu.yaml:3:1: ")


def test_every_problem_of_an_accelerator_is_named(roofcast, accelerator) -> None:
    text = accelerator.read_text()
    accelerator.write_text(text.replace("bandwidth:", "bandwith:").replace("kind: gpu", "kind: gpx"))
    message = roofcast.refusal("predict", "decode", "--model", "llama-3.1-8b", "--cluster", "./my_gpu.yaml:8",
                               "--context", "1")  # fmt: skip
    assert sorted(message.splitlines()) == [
        "./my_gpu.yaml:12:3: memory: 'bandwidth' is missing; add it",
        "./my_gpu.yaml:14:3: memory.bandwith: unknown key; did you mean 'bandwidth'?",
        "./my_gpu.yaml:5:7: kind: 'gpx' is not known; use gpu, tpu, npu, cpu, soc or pim",
    ]


@pytest.mark.parametrize(
    ("config", "complaint"),
    [
        ("{", "./config.json:1:2: "),
        ('{"model_type": "perceiver"}', "./config.json:1:16: model_type: "),
        ("[]", "./config.json:1:1: "),
    ],
)
def test_a_broken_config_names_its_place(roofcast, config: str, complaint: str) -> None:
    (roofcast.folder / "config.json").write_text(config)
    message = roofcast.refusal("predict", "decode", "--model", "./config.json", "--cluster", "h100-sxm", "--context",
                               "1")  # fmt: skip
    assert message.startswith(complaint)


def test_names_cannot_drive_the_terminal(roofcast) -> None:
    message = roofcast.refusal("predict", "decode", "--model", "\x1b[31mred", "--cluster", "h100-sxm", "--context", "1")
    assert "\x1b" not in message and "\\x1B[31mred" in message
