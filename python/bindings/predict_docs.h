// SPDX-License-Identifier: Apache-2.0
// Docstrings of the predictions; tests/python runs their examples.
#pragma once

namespace roofcast::python {

inline constexpr const char* kTrainDoc = R"(One optimizer step of training the whole model.

Forward and backward of embedding, layers, head and loss by 1F1B, gradient reduction, optimizer.

Parameters
----------
llm : Llm
cluster : Cluster
plan : Plan or str, optional
    Default: the smallest tp that fits, which `assumptions` then says.
global_batch : int [sequences]
    Sequences of a step; a multiple of dp times the micro-batch.
sequence : int [tokens]
    Length of each sequence.
weights, activations : str, optional
    Number formats; default: those of the model.
fits : str or path, optional
    Fitted coefficients by name or file; default: those built in for the device.
mode : str, optional
    ``"analytical"`` or ``"hybrid"`` (with a smooth correction); default: what the fit does better.
kernels : str, optional
    Whose kernels: ``"vllm"``, ``"trtllm"`` or ``"sglang"``; default: the first that was fitted.
flops_convention : str, default "6P+12Lhs"
    How `mfu` counts the FLOPs of a token.
engine : str or path, optional
    Training framework whose memory rule holds; default: mixed precision of none in particular.

Returns
-------
StepTime
    `fits` is False when it doesn't fit in memory; that is no error.

Raises
------
ArgumentError
    If something can't be used, or not on this model and cluster.

Examples
--------
>>> import roofcast as rc
>>> llm, cluster = rc.load_llm("llama-3.1-70b"), rc.load_cluster("h100-sxm", devices=64)
>>> plan = rc.Plan(tp=8, pp=4, micro_batch=1)
>>> step = rc.predict_train_step(llm, cluster, plan, global_batch=512, sequence=8192)
>>> step.plan, 0.2 < step.mfu < 0.6
(tp8-pp4-dp2, True))";

inline constexpr const char* kPrefillDoc = R"(Time to the first token of a batch of prompts.

From the launch on an idle replica; queueing is not part of it.

Parameters
----------
llm : Llm
cluster : Cluster
plan : Plan or str, optional
    Default: the smallest tp that fits, which `assumptions` then says.
input : int [tokens]
    Length of each prompt.
batch : int [sequences], default 1
    Prompts that a replica reads together.
weights, activations, kv : str, optional
    Number formats; default: those of the model.
fits : str or path, optional
    Fitted coefficients by name or file; default: those built in for the device.
mode : str, optional
    ``"analytical"`` or ``"hybrid"`` (with a smooth correction); default: what the fit does better.
kernels : str, optional
    Whose kernels: ``"vllm"``, ``"trtllm"`` or ``"sglang"``; default: the first that was fitted.

Returns
-------
StepTime
    `fits` is False when it doesn't fit in memory; that is no error.

Raises
------
ArgumentError
    If something can't be used, or not on this model and cluster.

Examples
--------
>>> import roofcast as rc
>>> llm, cluster = rc.load_llm("llama-3.1-70b"), rc.load_cluster("h100-sxm:8")
>>> step = rc.predict_prefill(llm, cluster, rc.Plan(tp=8), input=4096)
>>> step.bound, step.fits
('compute', True))";

inline constexpr const char* kDecodeDoc = R"(Time of one new token for each sequence of a batch.

Parameters
----------
llm : Llm
cluster : Cluster
plan : Plan or str, optional
    Default: the smallest tp that fits, which `assumptions` then says.
context : int [tokens]
    Tokens cached for each sequence; the step attends to one more.
batch : int [sequences], default 1
    Sequences of a replica.
weights, activations, kv : str, optional
    Number formats; default: those of the model.
fits : str or path, optional
    Fitted coefficients by name or file; default: those built in for the device.
mode : str, optional
    ``"analytical"`` or ``"hybrid"`` (with a smooth correction); default: what the fit does better.
kernels : str, optional
    Whose kernels: ``"vllm"``, ``"trtllm"`` or ``"sglang"``; default: the first that was fitted.

Returns
-------
StepTime
    `fits` is False when it doesn't fit in memory; that is no error.

Raises
------
ArgumentError
    If something can't be used, or not on this model and cluster.

Examples
--------
>>> import roofcast as rc
>>> llm, cluster = rc.load_llm("llama-3.1-70b"), rc.load_cluster("h100-sxm:8")
>>> step = rc.predict_decode(llm, cluster, rc.Plan(tp=8), batch=32, context=4096)
>>> step.bound, step.fits
('memory', True)
>>> rc.predict_decode(llm, rc.load_cluster("h100-sxm:1"), context=4096).fits
False)";

inline constexpr const char* kMemoryDoc =
    R"(What serving keeps in memory, and how much KV cache has room.

Parameters
----------
llm : Llm
cluster : Cluster
plan : Plan or str, optional
    Default: the smallest tp that fits, which `assumptions` then says.
max_length : int [tokens], optional
    What a sequence may grow to; default: what the model's config allows.
batch : int [sequences], default 1
    Sequences of that length that are held.
engine : str or path, optional
    Serving engine whose rule sizes the KV cache, as ``"vllm"``; default: none, all that weights,
    workspace and runtime leave is KV cache.
engine_version : str, optional
    Version of it, as ``"0.19"``; default: what the name stands for.
memory_fraction : float [1], optional
    Share of memory that the engine uses; default: the engine's.
max_batched_tokens : int [tokens], optional
    Tokens of one pass; default: the engine's.
max_sequences : int [sequences], optional
    Sequences that run at once; default: the engine's.
block_size : int [tokens], optional
    Of a block of KV cache; default: the engine's.
kv_policy : str, optional
    full, window, hybrid or pools, and absorbed or expanded; default: the engine's, or window.
weights, activations, kv : str, optional
    Number formats; default: those of the model.
fits : str or path, optional
    Fitted coefficients by name or file; default: those built in.

Returns
-------
Memory

Raises
------
ArgumentError
    If something can't be used, or not on this model and cluster.

Examples
--------
>>> import roofcast as rc
>>> llm, cluster = rc.load_llm("llama-3.1-70b"), rc.load_cluster("h100-sxm:8")
>>> memory = rc.memory(llm, cluster, rc.Plan(tp=8), max_length=8192)
>>> memory.fits, memory.kv_bytes_per_token
(True, 40960.0)
>>> rc.memory(llm, cluster, rc.Plan(tp=8), max_length=8192, engine="vllm").kv_policy
'hybrid')";

inline constexpr const char* kTrainingMemoryDoc =
    R"(What a training step keeps in memory on the fullest device, and when.

The peak over pipeline stages and over the phases of a step. Plans whose time is not modelled yet
(cp, ep, vpp, zero 2 and 3) have their memory here.

Parameters
----------
llm : Llm
cluster : Cluster
plan : Plan or str, optional
    Default: the smallest tp that fits, which `assumptions` then says.
global_batch : int [sequences]
    Sequences of a step; a multiple of dp times the micro-batch.
sequence : int [tokens]
    Length of each sequence.
engine : str or path, optional
    Training framework whose memory rule holds; default: mixed precision of none in particular.
optimizer : str, optional
    "adam", "adam-8bit", "adafactor", "muon" or "sgd"; default: the engine's.
attention : str, optional
    "flash" or "unfused", which keeps the scores; default: the engine's.
gradients, moments : str, optional
    Number formats of summed gradients and of the optimizer's moments; default: the engine's.
master : str, optional
    Number format of the optimizer's own weights, or "none"; default: the engine's.
loss_chunk : int [tokens], optional
    Tokens whose logits exist at once; default: the engine's.
weights, activations : str, optional
    Number formats; default: those of the model.
fits : str or path, optional
    Fitted coefficients by name or file; default: those built in.

Returns
-------
Memory

Raises
------
ArgumentError
    If something can't be used, or not on this model and cluster.

Examples
--------
>>> import roofcast as rc
>>> llm, cluster = rc.load_llm("llama-3.1-70b"), rc.load_cluster("h100-sxm", devices=64)
>>> plan = rc.Plan(tp=8, pp=4, zero=1, recompute="selective")
>>> memory = rc.training_memory(llm, cluster, plan, global_batch=512, sequence=8192)
>>> memory.fits, memory.phase, memory.stage
(True, 'forward', 0))";

}  // namespace roofcast::python
