// SPDX-License-Identifier: Apache-2.0
// The table of verbs and flags: parsing, help and suggestions all read it.
#include <initializer_list>
#include <string>

#include "cli/run.h"
#include "cli/verb.h"

namespace roofcast::cli {
namespace {

using Flags = std::vector<Flag>;

Flags Join(std::initializer_list<Flags> groups) {
  Flags all;
  for (const Flags& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

constexpr FlagKind kSwitch = FlagKind::kSwitch;
constexpr FlagKind kText = FlagKind::kText;
constexpr FlagKind kNumbers = FlagKind::kNumbers;

Flags WhatFlags() {
  return {
      {"model",
       kText,
       "NAME|PATH",
       "a zoo name, a cached model, a config.json, .yaml or .args",
       true},
      {"cluster",
       kText,
       "NAME[:COUNT]",
       "a device or cluster with the count of devices, or a YAML",
       true},
  };
}

Flags PlanFlags() {
  return {
      {"plan", kText, "PLAN", "all degrees in one word, as tp8-pp4; instead of the flags below"},
      {"tp", kNumbers, "N", "tensor-parallel degree, devices"},
      {"pp", kNumbers, "N", "pipeline-parallel degree, stages"},
  };
}

Flags ServingFlags() {
  return {{"replicas", kNumbers, "N", "independent copies; default: what the cluster holds"}};
}

Flags TrainingFlags() {
  return {
      {"dp", kNumbers, "N", "data-parallel degree; default: devices / (tp pp cp)"},
      {"cp", kNumbers, "N", "context-parallel degree, devices that share each sequence"},
      {"ep", kNumbers, "N", "expert-parallel degree, carved out of tp x cp x dp"},
      {"moe-tp", kNumbers, "N", "devices that share each expert; default: tp, or 1 with --ep"},
      {"vpp", kNumbers, "N", "chunks of layers a stage, interleaved; default 1"},
      {"stages", kText, "RULE|N,N,...", "even, by-cost, or the layers of each; default: engine's"},
      {"micro-batch", kNumbers, "N", "sequences of one micro-batch; default 1"},
      {"zero", kNumbers, "0..3", "sharded: 1 optimizer, 2 and gradients, 3 and weights (FSDP)"},
      {"shard", kNumbers, "N", "devices that --zero shards over (HSDP); default: dp x cp"},
      {"recompute", kText, "none|selective|full", "what backward works out again; default none"},
      {"sequence-parallel", kSwitch, "", "norms and residuals split over tp; the default"},
      {"no-sequence-parallel", kSwitch, "", "norms and residuals whole on every rank of tp"},
      {"engine", kText, "NAME|FILE", "framework whose memory rule holds; default: none's"},
      {"optimizer", kText, "NAME", "adam, adam-8bit, adafactor, muon or sgd; default: engine's"},
      {"attention", kText, "flash|unfused", "whether scores are kept; default: engine's"},
      {"gradients", kText, "DTYPE", "number format of summed gradients; default: engine's"},
      {"moments", kText, "DTYPE", "number format of the optimizer's moments; default: engine's"},
      {"master", kText, "DTYPE|none", "the optimizer's own weights; default: engine's"},
      {"loss-chunk", kNumbers, "N", "tokens whose logits exist at once; default: engine's"},
  };
}

Flags FlopsFlags() {
  return {
      {"flops-convention", kText, "NAME", "what MFU counts, see below; default 6P+12Lhs"},
  };
}

Flags TrainLoadFlags() {
  return {{"global-batch", kNumbers, "N", "sequences of one step, of all devices", true},
          {"sequence", kNumbers, "N", "tokens of one sequence", true}};
}

Flags PrecisionFlags() {
  return {
      {"weights", kText, "FORMAT", "how the weights are stored; default: as the checkpoint"},
      {"activations", kText, "DTYPE", "number format that matrix products run in"},
      {"kv", kText, "DTYPE", "number format of the KV cache; default: the checkpoint's, or wide"},
      {"fits", kText, "NAME|FILE", "coefficients of the formulas; default: built in"},
  };
}

Flags EstimatorFlags() {
  return {
      {"mode", kText, "NAME", "analytical or hybrid; default: what the fit does better"},
      {"kernels",
       kText,
       "NAME",
       "whose kernels: vllm, sglang or trtllm; default: the first fitted"},
  };
}

Flags EngineFlags() {
  return {
      {"engine", kText, "NAME", "serving engine whose rule sizes the KV cache; default: none"},
      {"engine-version", kText, "X.Y", "version of it; default: what the name stands for"},
      {"memory-fraction",
       kText,
       "F",
       "share of memory that it uses; also --gpu-memory-utilization",
       false,
       "gpu-memory-utilization"},
      {"max-batched-tokens", kNumbers, "N", "tokens of one pass; default: the engine's"},
      {"max-sequences", kNumbers, "N", "sequences that run at once; default: the engine's"},
      {"block-size", kNumbers, "N", "tokens of a block of KV cache; default: the engine's"},
      {"kv-policy", kText, "NAME", "full, window, hybrid or pools, and absorbed or expanded"},
      {"engine-log", kText, "FILE", "start log of vLLM or SGLang, shown beside the prediction"},
  };
}

// As WhatFlags, but a log may name the model.
Flags WhatOrLogFlags() {
  Flags flags = WhatFlags();
  flags.front().required = false;
  flags.front().help = "needed unless --engine-log names it: a zoo name, a config.json, ...";
  return flags;
}

Flags TrainingPrecisionFlags() {
  Flags flags = PrecisionFlags();
  std::erase_if(flags, [](const Flag& flag) { return flag.name == "kv"; });
  return flags;
}

Flags OutputFlags() {
  return {
      {"json", kSwitch, "", "the whole answer as JSON (docs/schema/roofcast-1.json)"},
      {"csv", kSwitch, "", "one line a row, units in the column names"},
      {"output", kText, "FILE", "write there instead of stdout; replaced only when complete"},
      {"quiet", kSwitch, "", "the answer alone, without details"},
      {"help", kSwitch, "", "this text"},
  };
}

constexpr std::string_view kRanges =
    "Every N takes a number, a list (1,2,4) or a range (1..8, 0..100+20, 1..256*2). Several\n"
    "values give one row for each combination, at most 100000; one that is impossible becomes a\n"
    "row with its reason. Without a plan the smallest tp that fits is taken and printed. A DTYPE\n"
    "is a number format, as bf16, fp8 or int4; a FORMAT is one, or a way of storing weights with\n"
    "their scales, as nvfp4, awq, q8_0 or q4_k_m.";

// Verbs keep views of their details: this one lives as long as they do.
std::string_view TrainingDetails() {
  static const std::string text = std::string(kRanges) +
                                  "\n\nMFU counts 6P+12Lhs, 6P+6Lhs, 6P, 6M+12Lhs, 6M+6Lhs, 6M, "
                                  "6N+12Lhs, 6N+6Lhs or 6N: P are the\n"
                                  "active parameters without the input embedding, M those in "
                                  "matrix products, N all; 12Lhs are\n"
                                  "all pairs of attention, 6Lhs the causal ones.";
  return text;
}

std::vector<Verb> MakeVerbs() {
  std::vector<Verb> verbs;
  verbs.push_back(
      {"predict train",
       "time of one optimizer step",
       Join({WhatFlags(),
             TrainLoadFlags(),
             PlanFlags(),
             TrainingFlags(),
             FlopsFlags(),
             TrainingPrecisionFlags(),
             EstimatorFlags(),
             OutputFlags()}),
       "",
       0,
       TrainingDetails(),
       {"roofcast predict train --model llama-3.1-70b --cluster h100-sxm:64 --tp 8 --pp 4 "
        "--global-batch 512 --sequence 8192",
        "roofcast predict train --model llama-3.1-8b --cluster h100-sxm:8 --micro-batch 1..8*2 "
        "--global-batch 64 --sequence 4096"},
       RunPredictTrain});
  verbs.push_back(
      {"predict prefill",
       "time to the first token of a batch of prompts, without queueing",
       Join({WhatFlags(),
             {{"input",
               kNumbers,
               "N",
               "tokens of each prompt; --context says the same",
               true,
               "context"},
              {"batch", kNumbers, "N", "prompts of one replica; default 1"}},
             PlanFlags(),
             ServingFlags(),
             PrecisionFlags(),
             EstimatorFlags(),
             OutputFlags()}),
       "",
       0,
       kRanges,
       {"roofcast predict prefill --model llama-3.1-70b --cluster h100-sxm:8 --tp 8 --input 4096"},
       RunPredictPrefill});
  verbs.push_back(
      {"predict decode",
       "time of one token for each sequence of a batch",
       Join({WhatFlags(),
             {{"context", kNumbers, "N", "tokens cached; the step attends to one more", true},
              {"batch", kNumbers, "N", "sequences of one replica; default 1"}},
             PlanFlags(),
             ServingFlags(),
             PrecisionFlags(),
             EstimatorFlags(),
             OutputFlags()}),
       "",
       0,
       kRanges,
       {"roofcast predict decode --model llama-3.1-70b --cluster h100-sxm:8 --tp 8 --batch 32 "
        "--context 4096",
        "roofcast predict decode --model llama-3.1-8b --cluster my_gpu.yaml:1 --batch 1..256*2 "
        "--context 1024 --csv"},
       RunPredictDecode});
  verbs.push_back(
      {"memory",
       "what lies in the memory of the fullest device, KV tokens, concurrency",
       Join({WhatOrLogFlags(),
             {{"max-length", kNumbers, "N", "tokens that a sequence may reach; default: config's"},
              {"batch", kNumbers, "N", "sequences held by one replica; default 1"}},
             PlanFlags(),
             ServingFlags(),
             EngineFlags(),
             PrecisionFlags(),
             OutputFlags()}),
       "",
       0,
       kRanges,
       {"roofcast memory --model llama-3.1-70b --cluster h100-sxm:8 --tp 8 --max-length 32768",
        "roofcast memory --model llama-3.1-8b --cluster h100-sxm:1 --engine vllm --max-length "
        "16384"},
       RunMemory});
  verbs.push_back(
      {"flops",
       "work of a training step by every convention, and the MFU of a measured rate",
       Join({{{"model", kText, "NAME|PATH", "a zoo name, a config.json or its folder", true},
              {"sequence", kText, "N[,N...]", "tokens of each sequence of a pack", true},
              {"batch", kText, "N", "how often the pack is repeated; default 1"},
              {"recompute", kText, "none|selective|full", "forward work repeated in backward"},
              {"tokens-per-second", kText, "X", "measured, of one device; needs --device"},
              {"device", kText, "NAME", "whose dense peak the measured rate is judged by"},
              {"dtype", kText, "DTYPE", "number format of that peak; default bf16"}},
             OutputFlags()}),
       "",
       0,
       "Sequences of a pack don't see each other: their attention work goes with the sum of the\n"
       "squares of their lengths, not with the square of the sum.",
       {"roofcast flops --model llama-2-7b --sequence 4096 --tokens-per-second 9600 --device "
        "h100-sxm",
        "roofcast flops --model qwen3-8b --sequence 4096,2048,1024,1024"},
       RunFlops});
  verbs.push_back(
      {"memory train",
       "what lies in the memory of the fullest device in training, and when",
       Join({WhatFlags(),
             TrainLoadFlags(),
             PlanFlags(),
             TrainingFlags(),
             TrainingPrecisionFlags(),
             OutputFlags()}),
       "",
       0,
       kRanges,
       {"roofcast memory train --model llama-3.1-70b --cluster h100-sxm:64 --tp 8 --pp 4 --zero 1 "
        "--recompute selective --engine megatron-lm --global-batch 512 --sequence 8192"},
       RunMemoryTrain});
  verbs.push_back(
      {"validate",
       "errors of predictions against a table of measurements",
       Join({{{"as", kText, "KIND", "what the table holds: training; default: told by its header"},
              {"metric", kText, "NAMES", "only these, as memory,fits; default: all of the table"},
              {"rows", kText, "FILE", "also write every row with its prediction there, as CSV"}},
             OutputFlags()}),
       "FILE.csv",
       1,
       "One figure a row: source, model, metric, value and unit; layers, hidden, heads, kv_heads, "
       "ffn\n"
       "and vocab; gpu and num_gpus; tp, pp, dp, mbs, gbs, seq, zero, precision and recompute; "
       "other.\n"
       "Errors are percent of what was measured, by metric, source, GPU, model, framework and\n"
       "reading. Rows that can't be predicted are counted with the reason, rows that a published\n"
       "test excludes under its name. 'cv': the constant of the metric was chosen on other models.",
       {"roofcast validate measured.csv", "roofcast validate measured.csv --metric memory --json"},
       RunValidate});
  verbs.push_back({"list",
                   "names of models, devices, links, clusters and engines",
                   OutputFlags(),
                   "[models|devices|links|clusters|engines]",
                   1,
                   "Names are looked for in ./roofcast, $ROOFCAST_PATH, the user's configuration\n"
                   "folder and what is built in, in this order.",
                   {"roofcast list devices"},
                   RunList});
  verbs.push_back({"show",
                   "every figure of a device, link, cluster, model, engine or the coefficients",
                   OutputFlags(),
                   "NAME|PATH|coefficients",
                   1,
                   "Each figure comes with its unit, source, kind of source and note.",
                   {"roofcast show h100-sxm", "roofcast show llama-3.1-70b"},
                   RunShow});
  verbs.push_back({"lint",
                   "what is wrong in catalog files, configs and fits",
                   OutputFlags(),
                   "[FILE|FOLDER...]",
                   10'000,
                   "Without files: everything built in. Exit status 2 if there is a problem.",
                   {"roofcast lint my_gpu.yaml"},
                   RunLint});
  return verbs;
}

}  // namespace

const std::vector<Verb>& Verbs() {
  static const std::vector<Verb> verbs = MakeVerbs();
  return verbs;
}

}  // namespace roofcast::cli
