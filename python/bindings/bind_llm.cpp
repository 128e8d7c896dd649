// SPDX-License-Identifier: Apache-2.0
#include "core/catalog.h"
#include "core/text.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "python/bindings/bind.h"
#include "python/bindings/fields.h"

namespace roofcast::python {
namespace {

constexpr const char* kLoadLlmDoc = R"(A model from its Hugging Face ``config.json``.

Parameters
----------
name_or_path : str or path
    A model of the zoo (``"llama-3.1-70b"``), a ``config.json`` or the folder that it lies in,
    the id of a model in the local Hugging Face cache (``"meta-llama/Llama-3.1-70B"``), a ``.yaml``
    that describes a model by hand, or an ``.args`` with the arguments of Megatron-LM.

Returns
-------
Llm

Raises
------
NotFoundError
    If nothing is called so; the message names the nearest.
SpecError
    If the config lacks something or the architecture is not understood.

Examples
--------
>>> import roofcast as rc
>>> llm = rc.load_llm("llama-3.1-70b")
>>> llm.layers, llm.hidden, llm.parameters.total
(80, 8192, 70553706496))";

void BindParameterCounts(py::module_& m) {
  py::class_<ParameterCounts> type(m, "ParameterCounts", "Parameters of a model, as published.");
  Attribute(type, "total", &ParameterCounts::total, "text backbone without MTP [parameters]");
  Attribute(type, "by_part", &ParameterCounts::by_part, "the total by part [parameters]");
  Attribute(type,
            "by_dtype",
            &ParameterCounts::by_dtype,
            "numbers of the checkpoint by the format they are stored in");
  Attribute(type, "extra", &ParameterCounts::extra, "beside the backbone [parameters]");
  Attribute(
      type, "checkpoint_total", &ParameterCounts::checkpoint_total, "total and extra [parameters]");
  Attribute(type,
            "active_with_embeddings",
            &ParameterCounts::active_with_embeddings,
            "used for one token, embedding and head included [parameters]");
  Attribute(type,
            "active_without_input_embedding",
            &ParameterCounts::active_without_input_embedding,
            "used for one token, without the input embedding [parameters]");
  Attribute(
      type,
      "checkpoint_bytes",
      [](const ParameterCounts& p) { return p.checkpoint_bytes.value(); },
      "size of the checkpoint as stored [B]");
  type.def("__repr__", [](const ParameterCounts& p) {
    return "<ParameterCounts " + FormatCount(static_cast<double>(p.total)) + ">";
  });
}

void BindLayer(py::module_& m) {
  py::class_<Layer> type(m, "Layer", "One decoder layer of a model.");
  const auto attention = [&](const char* name, auto member, const char* doc) {
    Attribute(
        type, name, [member](const Layer& l) { return l.attention.*member; }, doc);
  };
  const auto ffn = [&](const char* name, auto member, const char* doc) {
    Attribute(
        type, name, [member](const Layer& l) { return l.ffn.*member; }, doc);
  };
  attention("attention", &AttentionLayer::kind, "full, sliding or latent");
  attention("heads", &AttentionLayer::heads, "query heads");
  attention("kv_heads", &AttentionLayer::kv_heads, "key and value heads");
  attention("head_dim", &AttentionLayer::head_dim, "width of queries and keys");
  attention("value_dim", &AttentionLayer::value_dim, "width of values");
  attention("window", &AttentionLayer::window, "tokens that a query sees; 0: all [tokens]");
  attention("latent_rank", &AttentionLayer::latent_rank, "width of MLA's cached latent; 0: none");
  ffn("ffn_width", &FfnLayer::width, "of a dense layer, or of one expert");
  ffn("gated", &FfnLayer::gated, "whether the FFN has two matrices in and one out");
  ffn("experts", &FfnLayer::experts, "routed experts; 0: a dense layer");
  ffn("experts_per_token", &FfnLayer::experts_per_token, "routed experts of one token");
  ffn("shared_width", &FfnLayer::shared_width, "of all shared experts together; 0: none");
  type.def("__repr__", [](const Layer& l) {
    return "<Layer " + std::string(NameOf(l.attention.kind)) + " attention, " +
           std::to_string(l.attention.heads) + " heads, " + std::to_string(l.attention.kv_heads) +
           " KV heads, FFN " + std::to_string(l.ffn.width) +
           (l.ffn.IsMoe() ? " x " + std::to_string(l.ffn.experts) + " experts>" : ">");
  });
  type.def(
      "__eq__",
      [](const Layer& l, const Typed<"object">& other) {
        return py::isinstance<Layer>(other.object) && l == other.object.cast<const Layer&>();
      },
      py::arg("other"));
}

bool SameLlm(const Llm& a, const Llm& b) {
  return a.name == b.name && a.place == b.place && a.hidden == b.hidden &&
         a.vocabulary == b.vocabulary && a.max_length == b.max_length && a.dtype == b.dtype &&
         a.tied_embeddings == b.tied_embeddings && a.kinds == b.kinds && a.layers == b.layers &&
         a.extra_parameters == b.extra_parameters;
}

}  // namespace

void BindLlm(py::module_& m) {
  BindParameterCounts(m);
  BindLayer(m);
  py::class_<Llm> type(m, "Llm", "A model: its table of layers and what follows from it.");
  Attribute(type, "name", &Llm::name, "what it was loaded as");
  Attribute(type, "model_type", &Llm::model_type, "of its config.json");
  Attribute(type, "place", &Llm::place, "where it was read");
  Attribute(type, "hidden", &Llm::hidden, "width of a token between layers");
  Attribute(type, "vocabulary", &Llm::vocabulary, "size of the vocabulary [tokens]");
  Attribute(type, "tied_embeddings", &Llm::tied_embeddings, "whether head and embedding are one");
  Attribute(type, "max_length", &Llm::max_length, "that the config allows; 0: not said [tokens]");
  Attribute(type, "dtype", &Llm::dtype, "number format of what isn't quantised");
  Attribute(
      type,
      "quantisation",
      "str | None",
      [](const Llm& llm) {
        return llm.quantisation ? std::optional(llm.quantisation->method) : std::nullopt;
      },
      "how the checkpoint is quantised, as its config.json says");
  Attribute(type, "layers", &Llm::LayerCount, "decoder layers");
  Attribute(type, "kinds", &Llm::kinds, "the distinct layers");
  Attribute(type, "parameters", &CountParameters, "parameters by their published definitions");
  type.def(
      "layer",
      [](const Llm& llm, const IntArgument& index) {
        const std::int64_t at = WholeNumber(index.object, "index", 0);
        if (at >= llm.LayerCount()) {
          throw ArgumentError("index=" + std::to_string(at) + ": " + Printable(llm.name) +
                              " has layers 0 to " + std::to_string(llm.LayerCount() - 1));
        }
        return llm.LayerAt(at);
      },
      py::arg("index"),
      R"(One layer of the model.

Parameters
----------
index : int [layers]
    From 0, counted from the embedding.

Returns
-------
Layer

Raises
------
ArgumentError
    If there is no such layer.)");
  type.def("__repr__", [](const Llm& llm) { return "<Llm " + Printable(llm.name) + ">"; });
  type.def(
      "__eq__",
      [](const Llm& llm, const Typed<"object">& other) {
        return py::isinstance<Llm>(other.object) && SameLlm(llm, other.object.cast<const Llm&>());
      },
      py::arg("other"));
  type.def("__hash__", [](const Llm& llm) { return py::hash(FromText(llm.name)); });
  BindCopies(type);

  m.def(
      "load_llm",
      [](const PathArgument& name_or_path) {
        const std::string text = PathText(name_or_path.object, "name_or_path");
        const py::gil_scoped_release release;
        return LoadLlm(text);
      },
      py::arg("name_or_path"),
      kLoadLlmDoc);
  m.def(
      "list_models",
      [] {
        std::vector<std::string> names;
        for (const CatalogFile& file : ListCatalog(CatalogKind::kModels))
          names.push_back(file.name);
        return Typed<"tuple[str, ...]">{ToPython(names)};
      },
      R"(Names that `load_llm` knows, built in and the user's own.

Returns
-------
tuple of str

Examples
--------
>>> import roofcast as rc
>>> "llama-3.1-8b" in rc.list_models()
True)");
}

}  // namespace roofcast::python
