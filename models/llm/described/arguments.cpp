// SPDX-License-Identifier: Apache-2.0
#include "models/llm/described/arguments.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.h"
#include "models/llm/config_keys.h"

namespace roofcast::internal {
namespace {

constexpr std::size_t kLargestText = 1U << 20U;
constexpr std::size_t kMostProblems = 100;

using std::string_view_literals::operator""sv;

// Arguments of megatron/training/arguments.py whose names have a word of a shape, and that leave
// every shape alone: batches, parallelism, files, logging, dropout, losses, fused kernels.
constexpr std::array kHarmless = {
    "accumulate-allreduce-grads-in-fp32"sv,
    "apply-layernorm-1p"sv,
    "bert-no-binary-head"sv,
    "bias-dropout-fusion"sv,
    "bias-gelu-fusion"sv,
    "bias-swiglu-fusion"sv,
    "check-weight-hash-across-dp-replicas-interval"sv,
    "context-parallel-size"sv,
    "cross-entropy-fusion-impl"sv,
    "cross-entropy-loss-fusion"sv,
    "data-parallel-random-init"sv,
    "data-parallel-sharding-strategy"sv,
    "ddp-bucket-size"sv,
    "ddp-num-buckets"sv,
    "decoder-first-pipeline-num-layers"sv,
    "decoder-last-pipeline-num-layers"sv,
    "empty-unused-memory-level"sv,
    "eval-interval"sv,
    "exit-interval"sv,
    "expert-model-parallel-size"sv,
    "expert-tensor-parallel-size"sv,
    "first-last-layers-bf16"sv,
    "fp8-interval"sv,
    "global-batch-size"sv,
    "hidden-dropout"sv,
    "hierarchical-context-parallel-sizes"sv,
    "high-priority-stream-groups"sv,
    "log-batch-size-to-tensorboard"sv,
    "log-interval"sv,
    "log-memory-interval"sv,
    "log-num-zeros-in-grad"sv,
    "log-params-norm"sv,
    "log-world-size-to-tensorboard"sv,
    "manual-gc-interval"sv,
    "micro-batch-size"sv,
    "moe-aux-loss-coeff"sv,
    "moe-deepep-num-sms"sv,
    "moe-enable-deepep"sv,
    "moe-expert-capacity-factor"sv,
    "moe-extended-tp"sv,
    "moe-grouped-gemm"sv,
    "moe-input-jitter-eps"sv,
    "moe-layer-recompute"sv,
    "moe-pad-expert-input-to-capacity"sv,
    "moe-per-layer-logging"sv,
    "moe-permute-fusion"sv,
    "moe-router-bias-update-rate"sv,
    "moe-router-dtype"sv,
    "moe-router-force-load-balancing"sv,
    "moe-router-fusion"sv,
    "moe-router-group-topk"sv,
    "moe-router-load-balancing-type"sv,
    "moe-router-num-groups"sv,
    "moe-router-padding-for-fp8"sv,
    "moe-router-pre-softmax"sv,
    "moe-router-score-function"sv,
    "moe-router-topk-limited-devices"sv,
    "moe-router-topk-scaling-factor"sv,
    "moe-shared-expert-overlap"sv,
    "moe-token-dispatcher-type"sv,
    "moe-token-drop-policy"sv,
    "moe-use-legacy-grouped-gemm"sv,
    "moe-z-loss-coeff"sv,
    "nccl-communicator-config-path"sv,
    "no-bias-dropout-fusion"sv,
    "no-bias-gelu-fusion"sv,
    "no-bias-swiglu-fusion"sv,
    "no-persist-layer-norm"sv,
    "norm-epsilon"sv,
    "num-dataset-builder-threads"sv,
    "num-distributed-optimizer-instances"sv,
    "num-layers-at-end-in-bf16"sv,
    "num-layers-at-start-in-bf16"sv,
    "num-layers-per-virtual-pipeline-stage"sv,
    "num-virtual-stages-per-pipeline-rank"sv,
    "num-workers"sv,
    "overlap-moe-expert-parallel-comm"sv,
    "pipeline-model-parallel-layout"sv,
    "pipeline-model-parallel-size"sv,
    "profile-step-end"sv,
    "profile-step-start"sv,
    "rampup-batch-size"sv,
    "recompute-num-layers"sv,
    "save-interval"sv,
    "sequence-parallel"sv,
    "tensor-model-parallel-size"sv,
    "tensorboard-log-interval"sv,
    "tensorboard-queue-size"sv,
    "tiktoken-num-special-tokens"sv,
    "tiktoken-pattern"sv,
    "tokenizer-model"sv,
    "use-mcore-models"sv,
    "use-megatron-fsdp"sv,
    "vocab-file"sv,
};

bool MayShape(std::string_view name) {
  return std::find(kHarmless.begin(), kHarmless.end(), name) == kHarmless.end() &&
         MayShapeTheModel(name);
}

bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Without the quotes of a shell around it.
std::string Unquoted(std::string_view token) {
  const bool quoted =
      token.size() >= 2 && (token[0] == '"' || token[0] == '\'') && token.back() == token[0];
  return std::string(quoted ? token.substr(1, token.size() - 2) : token);
}

std::string Shown(std::string_view name) {
  return "--" + Printable(name);
}

}  // namespace

ArgumentReader::ArgumentReader(std::string_view text, std::string file) : file_(std::move(file)) {
  if (text.size() > kLargestText) {
    throw SpecError({{{file_, 0, 0}, "", "larger than 1 MiB", "give a file of arguments"}});
  }
  Split(text);
}

// Words between spaces; '#' at the start of one ends the line, and a lone '\' continues it.
void ArgumentReader::Split(std::string_view text) {
  int line = 1;
  std::size_t line_start = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (IsSpace(text[at])) {
      if (text[at++] == '\n') {
        ++line;
        line_start = at;
      }
      continue;
    }
    if (text[at] == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const std::size_t start = at;
    while (at < text.size() && !IsSpace(text[at])) ++at;
    const std::string_view token = text.substr(start, at - start);
    if (token == "\\") continue;
    Accept(std::string(token), {file_, line, static_cast<int>(start - line_start) + 1});
  }
}

void ArgumentReader::Accept(const std::string& token, const Location& where) {
  if (token.starts_with("--") && token.size() > 2) {
    const std::size_t equals = token.find('=');
    Argument argument{
        token.substr(2, equals == std::string::npos ? equals : equals - 2), {}, where};
    if (equals != std::string::npos) argument.values.push_back(Unquoted(token.substr(equals + 1)));
    arguments_.push_back(std::move(argument));
  } else if (!arguments_.empty()) {
    arguments_.back().values.push_back(Unquoted(token));
  } else if (problems_.size() < kMostProblems) {
    problems_.push_back({where,
                         "",
                         Quoted(token) + " is not an argument",
                         "keep the arguments alone, from the first --name on"});
  }
}

void ArgumentReader::Complain(std::string_view name, std::string text, std::string cure) {
  if (problems_.size() >= kMostProblems) return;
  Location where{file_, 0, 0};
  for (const Argument& argument : arguments_) {
    if (argument.name == name) where = argument.where;
  }
  problems_.push_back({where, name.empty() ? "" : Shown(name), std::move(text), std::move(cure)});
}

const Argument* ArgumentReader::Find(std::string_view name) {
  const Argument* found = nullptr;
  const bool first = asked_.emplace(name).second;
  for (const Argument& argument : arguments_) {
    if (argument.name != name) continue;
    if (found != nullptr && first) Complain(name, "is given twice", "keep one of them");
    found = &argument;
  }
  return found;
}

const Argument* ArgumentReader::WithOneValue(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr || argument->values.size() == 1) return argument;
  Complain(name, "needs one value", "");
  return nullptr;
}

std::optional<std::int64_t> ArgumentReader::Count(std::string_view name) {
  const Argument* argument = WithOneValue(name);
  if (argument == nullptr) return std::nullopt;
  constexpr std::int64_t kLargest = 1'000'000'000;
  const auto value = ParseInteger(argument->values[0]);
  if (value && *value >= 1 && *value <= kLargest) return value;
  Complain(
      name,
      Quoted(argument->values[0]) + " is not a whole number from 1 to " + std::to_string(kLargest),
      "write the number itself");
  return std::nullopt;
}

std::int64_t ArgumentReader::Needed(std::string_view name) {
  if (Find(name) == nullptr) Complain("", Shown(name) + " is missing", "add it");
  return Count(name).value_or(1);
}

std::optional<std::string> ArgumentReader::Word(std::string_view name) {
  const Argument* argument = WithOneValue(name);
  if (argument == nullptr) return std::nullopt;
  return argument->values[0];
}

bool ArgumentReader::Flag(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return false;
  if (!argument->values.empty()) Complain(name, "takes no value", "");
  return true;
}

void ArgumentReader::RefuseUnread() {
  for (const Argument& argument : arguments_) {
    if (asked_.contains(argument.name) || !MayShape(argument.name)) continue;
    std::vector<std::string> absent;
    for (const std::string& name : asked_) absent.push_back(name);
    const auto nearest = NearestName(argument.name, absent);
    Complain(
        argument.name,
        "not understood, and it may shape the model",
        nearest ? "did you mean '--" + *nearest + "'?" : "remove it if no tensor depends on it");
  }
}

void ArgumentReader::ThrowIfAny() const {
  if (!problems_.empty()) throw SpecError(problems_);
}

}  // namespace roofcast::internal
