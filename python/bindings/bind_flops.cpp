// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include "core/error.h"
#include "core/text.h"
#include "hardware/device.h"
#include "models/steps/flops_report.h"
#include "python/bindings/bind.h"
#include "python/bindings/typed.h"
#include "python/bindings/values.h"

namespace roofcast::python {
namespace {

constexpr const char* kFlopsDoc = R"(Work of a training step by every convention in use.

A name is 6 times the active parameters of a token, P without the input embedding, M those in
matrix products, N all, and 12 L h s (all pairs) or 6 L h s (causal ones) for attention.

Parameters
----------
llm : Llm
lengths : sequence of int [tokens]
    Each sequence of the batch; packed ones don't see each other.
recompute : str, default "none"
    Forward work that backward repeats, for hardware FLOPs: "none", "selective" (attention
    scores) or "full".
tokens_per_s_per_device : float [tokens/s], optional
    A measured throughput, for MFU and HFU; needs `device`.
device : Device, optional
    Whose dense peak the throughput is judged by.
dtype : str, default "bf16"
    Number format of that peak.

Returns
-------
dict
    ``forward`` (products by part, scores; FLOP) and ``conventions``, a list of dicts with
    ``name``, ``model_flop``, ``hardware_flop``, ``mfu`` and ``hfu`` (0 to 1, or None).

Raises
------
ArgumentError
    If a length or the throughput can't be, or the device has no peak for the format.

Examples
--------
>>> import roofcast as rc
>>> work = rc.flops(rc.load_llm("llama-2-7b"), lengths=[4096])
>>> work["conventions"][0]["name"]
'6P+12Lhs')";

RepeatedWork RepeatedOf(const NameArgument& recompute) {
  const std::string text = Text(recompute.object, "recompute");
  if (text == "none") return RepeatedWork::kNone;
  if (text == "selective") return RepeatedWork::kScores;
  if (text == "full") return RepeatedWork::kLayers;
  throw ArgumentError("recompute: unknown " + Quoted(text) + "; use none, selective or full");
}

std::vector<std::int64_t> LengthsOf(const py::object& lengths) {
  if (!py::isinstance<py::iterable>(lengths) || py::isinstance<py::str>(lengths)) {
    throw ArgumentError("lengths: needs a sequence of whole numbers");
  }
  std::vector<std::int64_t> result;
  for (const py::handle item : py::iter(lengths)) {
    result.push_back(WholeNumber(py::reinterpret_borrow<py::object>(item), "lengths", 1));
  }
  return result;
}

double RateOf(const py::object& rate) {
  if (!py::isinstance<py::float_>(rate) && !py::isinstance<py::int_>(rate)) {
    throw ArgumentError("tokens_per_s_per_device: needs a number");
  }
  return rate.cast<double>();
}

}  // namespace

void BindFlops(py::module_& m) {
  m.def(
      "flops",
      [](const Llm& llm,
         const Typed<"Sequence[int]">& lengths,
         const NameArgument& recompute,
         const Typed<"float | None">& tokens_per_s_per_device,
         const std::optional<Device>& device,
         const NameArgument& dtype) {
        const FlopsLoad load{LengthsOf(lengths.object), RepeatedOf(recompute)};
        std::optional<MeasuredRate> rate;
        if (tokens_per_s_per_device.object.is_none() == device.has_value()) {
          throw ArgumentError("tokens_per_s_per_device: goes with a device; give both or neither");
        }
        if (device) {
          rate = MeasuredRate{*device,
                              OptionalDType(dtype.object, "dtype").value_or(DType::kBf16),
                              RateOf(tokens_per_s_per_device.object)};
        }
        return Typed<"dict[str, Any]">{FromJson(ToJson(ReportFlops(llm, load, rate)))};
      },
      py::arg("llm"),
      py::kw_only(),
      py::arg("lengths"),
      py::arg("recompute") = "none",
      py::arg("tokens_per_s_per_device") = py::none(),
      py::arg("device") = py::none(),
      py::arg("dtype") = "bf16",
      kFlopsDoc);
}

}  // namespace roofcast::python
