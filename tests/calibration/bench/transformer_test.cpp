// SPDX-License-Identifier: Apache-2.0
#ifdef ROOFCAST_ONEDNN
#include "calibration/bench/run/transformer.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <numeric>

#include "core/error.h"
#include "models/llm/config.h"

namespace roofcast::bench {
namespace {

constexpr std::int64_t kHidden = 32;
constexpr std::int64_t kFfn = 48;
constexpr std::int64_t kVocabulary = 50;
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kKvHeads = 2;
constexpr std::int64_t kDim = 8;

std::string Config(const std::string& more = "") {
  return R"({"model_type": "llama", "hidden_size": 32, "intermediate_size": 48,
    "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "vocab_size": 50, "max_position_embeddings": 512, "hidden_act": "silu",
    "tie_word_embeddings": false, "torch_dtype": "float32")" +
         more + "}";
}
Llm Small(const std::string& more = "") {
  return ParseLlm(Config(more), "small", "config.json");
}

// A plain forward pass in double, written from the formulas alone.
class Reference {
 public:
  explicit Reference(TransformerWeights& weights) : weights_(weights) {}

  // Logits of the last token of a sequence.
  std::vector<double> Logits(const std::vector<std::int32_t>& tokens) {
    const std::size_t count = tokens.size();
    std::vector<std::vector<double>> stream(count, std::vector<double>(kHidden));
    for (std::size_t t = 0; t < count; ++t) {
      for (std::int64_t i = 0; i < kHidden; ++i)
        stream[t][At(i)] = weights_.table().At(tokens[t], i);
    }
    for (auto& layer : weights_.layers()) RunLayer(layer, stream);
    return Times(weights_.head(), kVocabulary, Norm(stream.back()));
  }

 private:
  static std::size_t At(std::int64_t i) { return static_cast<std::size_t>(i); }
  static std::vector<double> Norm(const std::vector<double>& x) {
    double squares = 0;
    for (const double value : x) squares += value * value;
    std::vector<double> out = x;
    for (double& value : out) value /= std::sqrt(squares / static_cast<double>(x.size()) + 1e-5);
    return out;
  }
  static std::vector<double> Times(const Matrix& w, std::int64_t n, const std::vector<double>& x) {
    std::vector<double> out(At(n));
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < x.size(); ++j) {
        out[At(i)] += w.At(i, static_cast<std::int64_t>(j)) * x[j];
      }
    }
    return out;
  }
  static void Rotate(double* head, std::size_t position) {
    for (std::int64_t i = 0; i < kDim / 2; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(10000.0, -2.0 * static_cast<double>(i) / kDim);
      const double x = head[i];
      const double y = head[kDim / 2 + i];
      head[i] = x * std::cos(angle) - y * std::sin(angle);
      head[kDim / 2 + i] = x * std::sin(angle) + y * std::cos(angle);
    }
  }
  void RunLayer(TransformerWeights::Matrices& layer, std::vector<std::vector<double>>& stream) {
    const std::int64_t row = (kHeads + 2 * kKvHeads) * kDim;
    std::vector<std::vector<double>> qkv;
    for (std::size_t t = 0; t < stream.size(); ++t) {
      qkv.push_back(Times(layer.qkv, row, Norm(stream[t])));
      for (std::int64_t h = 0; h < kHeads + kKvHeads; ++h) Rotate(qkv[t].data() + h * kDim, t);
    }
    for (std::size_t t = 0; t < stream.size(); ++t) {
      std::vector<double> heads;
      for (std::int64_t h = 0; h < kHeads; ++h) {
        const std::int64_t shared = h / (kHeads / kKvHeads);
        std::vector<double> weights(t + 1);
        double sum = 0;
        for (std::size_t s = 0; s <= t; ++s) {
          double score = 0;
          for (std::int64_t i = 0; i < kDim; ++i) {
            score += qkv[t][At(h * kDim + i)] * qkv[s][At((kHeads + shared) * kDim + i)];
          }
          sum += weights[s] = std::exp(score / std::sqrt(static_cast<double>(kDim)));
        }
        for (std::int64_t i = 0; i < kDim; ++i) {
          double value = 0;
          for (std::size_t s = 0; s <= t; ++s) {
            value += weights[s] / sum * qkv[s][At((kHeads + kKvHeads + shared) * kDim + i)];
          }
          heads.push_back(value);
        }
      }
      const std::vector<double> update = Times(layer.output, kHidden, heads);
      for (std::size_t i = 0; i < update.size(); ++i) stream[t][i] += update[i];
    }
    for (auto& x : stream) {
      const std::vector<double> both = Times(layer.gate_up, 2 * kFfn, Norm(x));
      std::vector<double> inner(At(kFfn));
      for (std::size_t i = 0; i < inner.size(); ++i) {
        inner[i] = both[i] / (1 + std::exp(-both[i])) * both[At(kFfn) + i];
      }
      const std::vector<double> update = Times(layer.down, kHidden, inner);
      for (std::size_t i = 0; i < update.size(); ++i) x[i] += update[i];
    }
  }

  TransformerWeights& weights_;
};

std::vector<std::int32_t> Tokens(std::size_t count, std::int32_t first = 3) {
  std::vector<std::int32_t> tokens(count);
  for (std::size_t i = 0; i < count; ++i) {
    tokens[i] = (first + 7 * static_cast<std::int32_t>(i)) % static_cast<std::int32_t>(kVocabulary);
  }
  return tokens;
}

void CheckClose(const std::vector<float>& logits,
                std::size_t sequence,
                const std::vector<double>& expected,
                double tolerance) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(
        worst, std::abs(static_cast<double>(logits[sequence * expected.size() + i]) - expected[i]));
  }
  CHECK(worst < tolerance);
}

}  // namespace

TEST_CASE("Prefill and decode give the logits of a plain forward pass") {
  TransformerWeights weights(Small(), DType::kFp32);
  Reference reference(weights);
  // 150 tokens are more than one block of queries.
  for (const std::int64_t length : {1, 5, 150}) {
    CAPTURE(length);
    TransformerCache cache(weights, 2, 160);
    std::vector<std::int32_t> first = Tokens(static_cast<std::size_t>(length));
    std::vector<std::int32_t> second = Tokens(static_cast<std::size_t>(length), 11);
    std::vector<std::int32_t> both = first;
    both.insert(both.end(), second.begin(), second.end());
    Transformer prefill(weights, cache, {2, length, length, false});
    prefill.Run(both);
    CheckClose(prefill.Logits(), 0, reference.Logits(first), 1e-3);
    CheckClose(prefill.Logits(), 1, reference.Logits(second), 1e-3);
    REQUIRE(prefill.next().size() == 2);

    Transformer decode(weights, cache, {2, 1, length + 1, false});
    first.push_back(prefill.next()[0].token);
    second.push_back(prefill.next()[1].token);
    decode.Run({first.back(), second.back()});
    CheckClose(decode.Logits(), 0, reference.Logits(first), 1e-3);
    CheckClose(decode.Logits(), 1, reference.Logits(second), 1e-3);
  }
}

TEST_CASE("The chosen token is the likeliest, with its probability") {
  TransformerWeights weights(Small(), DType::kFp32);
  TransformerCache cache(weights, 1, 8);
  Transformer prefill(weights, cache, {1, 8, 8, false});
  prefill.Run(Tokens(8));
  const std::vector<float> logits = prefill.Logits();
  const auto best = std::max_element(logits.begin(), logits.end());
  CHECK(prefill.next().front().token == best - logits.begin());
  double sum = 0;
  for (const float logit : logits) sum += std::exp(static_cast<double>(logit - *best));
  CHECK(prefill.next().front().probability == doctest::Approx(1 / sum).epsilon(1e-4));
}

TEST_CASE("A transformer runs the operators that the layer table lowers to, in its order") {
  const Llm llm = Small();
  TransformerWeights weights(llm, DType::kFp32);
  TransformerCache cache(weights, 3, 20);
  Precision precision;
  precision.weights = precision.activations = precision.residual = precision.kv = DType::kFp32;
  for (const Pass& pass : {Pass{3, 20, 20, false}, Pass{3, 1, 17, false}}) {
    WorkList expected = EmbeddingForward(llm, {}, precision, pass);
    for (std::int64_t i = 0; i < llm.LayerCount(); ++i) {
      const WorkList layer = LayerForward(llm, llm.LayerAt(i), {}, precision, pass);
      expected.insert(expected.end(), layer.begin(), layer.end());
    }
    const WorkList head = HeadForward(llm, {}, precision, pass);
    expected.insert(expected.end(), head.begin(), head.end());

    const Transformer transformer(weights, cache, pass);
    const WorkList work = transformer.Work();
    REQUIRE(work.size() == expected.size());
    for (std::size_t i = 0; i < work.size(); ++i) {
      CAPTURE(i);
      CHECK(work[i].group == expected[i].group);
      CHECK(work[i].name == expected[i].name);
      const Op& one = std::get<Op>(work[i].what);
      const Op& other = std::get<Op>(expected[i].what);
      REQUIRE(one.index() == other.index());
      if (const auto* gemm = std::get_if<Gemm>(&one)) {
        const auto& same = std::get<Gemm>(other);
        CHECK(std::tie(gemm->m, gemm->n, gemm->k, gemm->math, gemm->input, gemm->weights) ==
              std::tie(same.m, same.n, same.k, same.math, same.input, same.weights));
        CHECK(gemm->output == same.output);
        CHECK(gemm->weight_overhead == same.weight_overhead);
      } else if (const auto* core = std::get_if<Attention>(&one)) {
        const auto& same = std::get<Attention>(other);
        CHECK(std::tie(core->batch, core->queries, core->keys, core->heads, core->kv_heads) ==
              std::tie(same.batch, same.queries, same.keys, same.heads, same.kv_heads));
        CHECK(std::tie(core->head_dim, core->value_dim, core->math, core->io, core->kv) ==
              std::tie(same.head_dim, same.value_dim, same.math, same.io, same.kv));
        CHECK(core->causal == same.causal);
      } else if (const auto* pointwise = std::get_if<Elementwise>(&one)) {
        CHECK(pointwise->traffic == std::get<Elementwise>(other).traffic);
        CHECK(pointwise->work == std::get<Elementwise>(other).work);
      } else {
        const auto& lookup = std::get<Embedding>(one);
        const auto& same = std::get<Embedding>(other);
        CHECK(std::tie(lookup.tokens, lookup.width, lookup.dtype) ==
              std::tie(same.tokens, same.width, same.dtype));
      }
    }
  }
}

TEST_CASE("A model that isn't built so is refused") {
  CHECK_THROWS_WITH_AS(TransformerWeights(Small(R"(, "attention_bias": true)"), DType::kFp32),
                       "small: has parts that the benchmark doesn't run; use a Llama-like model "
                       "without biases whose head is not tied",
                       ArgumentError);
}

}  // namespace roofcast::bench
#endif
