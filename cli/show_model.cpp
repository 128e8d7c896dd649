// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>

#include "cli/show.h"
#include "core/table.h"
#include "core/units.h"
#include "models/llm/parameters.h"
#include "models/llm/precision.h"
#include "models/llm/tensors.h"

namespace roofcast::cli {
namespace {

std::string Number(std::int64_t value) {
  return std::to_string(value);
}

// What mixes a layer's tokens: attention, a recurrence or both side by side.
std::string MixerText(const Layer& layer) {
  const AttentionLayer& attention = layer.attention;
  const RecurrentLayer& recurrent = layer.recurrent;
  if (!recurrent.IsNone()) {
    const std::string text = std::string(NameOf(recurrent.kind)) + " " + Number(recurrent.heads) +
                             " x " + Number(recurrent.head_dim) + " x " +
                             Number(recurrent.state_dim);
    return attention.IsNone() ? text : std::string(NameOf(attention.kind)) + ", " + text;
  }
  std::string text(NameOf(attention.kind));
  if (attention.IsWindowed()) text += " " + Number(attention.window);
  if (attention.kind == AttentionKind::kLatent) {
    text += " " + Number(attention.latent_rank) + "+" + Number(attention.rotary_dim);
  }
  return text;
}

std::string FfnText(const FfnLayer& ffn) {
  if (ffn.IsNone()) return "none";
  std::string text = ffn.gated ? "gated " : "plain ";
  if (!ffn.IsMoe()) return text + Number(ffn.width);
  text += Number(ffn.experts_per_token) + " of " + Number(ffn.experts) + " x " + Number(ffn.width);
  if (ffn.shared_width > 0) text += " + " + Number(ffn.shared_width) + " shared";
  return text;
}

// Names of the formats, the main one first.
std::string FormatsText(const Quantisation& quantisation) {
  std::string text = quantisation.Main().name;
  for (const MatrixFormat& format : quantisation.formats) {
    if (text.find(format.name) == std::string::npos) text += ", " + format.name;
  }
  return text;
}

// One line for each kind of layer.
std::string LayerTable(const Llm& llm) {
  Table table({{"layers", Align::kRight},
               {"attention", Align::kLeft},
               {"heads", Align::kRight},
               {"kv heads", Align::kRight},
               {"head dim", Align::kRight},
               {"ffn", Align::kLeft},
               {"parameters", Align::kRight}});
  for (std::size_t kind = 0; kind < llm.kinds.size(); ++kind) {
    const Layer& layer = llm.kinds[kind];
    const auto count =
        std::count(llm.layers.begin(), llm.layers.end(), static_cast<std::int32_t>(kind));
    std::int64_t parameters = 0;
    for (const Tensor& tensor : LayerTensors(layer, llm.hidden)) parameters += tensor.Parameters();
    const AttentionLayer& attention = layer.attention;
    table.AddRow({Number(count),
                  MixerText(layer),
                  Number(attention.heads),
                  Number(attention.kv_heads),
                  Number(attention.head_dim),
                  FfnText(layer.ffn),
                  Number(parameters)});
  }
  return table.Text();
}

}  // namespace

Sheet SheetOfModel(const Llm& llm) {
  Sheet sheet;
  sheet.kind = "model";
  sheet.name = llm.name;
  sheet.title = llm.model_type;
  sheet.file = llm.place;
  const auto add = [&](std::string path, std::string value) {
    sheet.figures.push_back({std::move(path), std::move(value), std::nullopt, "", std::nullopt});
  };
  add("layers", Number(llm.LayerCount()));
  add("hidden", Number(llm.hidden));
  add("vocabulary", Number(llm.vocabulary));
  add("tied_embeddings", llm.tied_embeddings ? "true" : "false");
  if (llm.max_length > 0) add("max_length", Number(llm.max_length) + " tokens");
  add("dtype", std::string(NameOf(llm.dtype)));
  if (llm.quantisation) {
    add("quantisation", llm.quantisation->method + " (" + FormatsText(*llm.quantisation) + ")");
    if (llm.quantisation->kv) add("kv_scales", std::string(NameOf(*llm.quantisation->kv)));
  }

  const ParameterCounts counts = CountParameters(llm);
  const auto derive = [&](std::string name, std::string value, std::string how) {
    sheet.derived.push_back({std::move(name), std::move(value), std::move(how)});
  };
  const auto count = [](std::int64_t value) {
    return Number(value) +
           (value >= 10'000 ? " (" + FormatCount(static_cast<double>(value)) + ")" : "");
  };
  derive("parameters", count(counts.total), "text backbone without MTP");
  for (const auto& [part, value] : counts.by_part) derive("parameters." + part, count(value), "");
  for (const auto& [part, value] : counts.extra) {
    derive("extra." + part, count(value), "beside the text backbone");
  }
  derive("checkpoint parameters", count(counts.checkpoint_total), "all of the above");
  for (const auto& [dtype, value] : counts.by_dtype) {
    derive("stored as " + dtype, count(value), "numbers of the checkpoint, scales included");
  }
  derive("checkpoint size", FormatGib(counts.checkpoint_bytes), "as stored");
  derive("active with embeddings", count(counts.active_with_embeddings), "a token");
  derive("active without input embedding", count(counts.active_without_input_embedding), "a token");
  const Precision precision = ServingPrecision(llm, {});
  derive(
      "KV cache",
      Number(static_cast<std::int64_t>(KvBytesPerToken(llm, precision.kv).value())) + " B a token",
      "all layers and heads in " + std::string(NameOf(precision.kv)) + ", windows counted as full");
  derive("forward work",
         FormatRounded(Flops::kDim, MatmulFlopsPerToken(llm).value()) + " a token",
         "matrix products, without attention scores");
  sheet.text = LayerTable(llm);
  return sheet;
}

}  // namespace roofcast::cli
