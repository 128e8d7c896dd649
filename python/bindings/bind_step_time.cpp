// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "core/units.h"
#include "models/steps/json.h"
#include "models/steps/report.h"
#include "python/bindings/bind.h"
#include "python/bindings/fields.h"
#include "python/bindings/step.h"

namespace roofcast::python {
namespace {

Json DocumentOf(const Step& step) {
  return ToJson(*step);
}
// The verb `memory` prints a whole document, a step shows the ledger as one part.
Json DocumentOf(const MemoryView& view) {
  return IsMemoryVerb(view.step->verb) ? ToJson(*view.step) : ToJson(view.step->memory);
}

template <class S>
void BindDocument(py::class_<S>& type) {
  type.def(
      "to_dict",
      [](const S& self) { return Typed<"dict[str, Any]">{FromJson(DocumentOf(self))}; },
      "Everything as plain data: what the command prints with --json.");
  type.def(
      "to_json",
      [](const S& self) { return FormatJson(DocumentOf(self)); },
      "Everything as JSON text, what the command prints with --json.");
  BindCopies(type);
}

std::string Preformatted(const std::string& text) {
  return "<p style=\"white-space:pre-wrap\">" + EscapeHtml(text) + "</p>";
}

std::string WhyHtml(const StepTime& step) {
  std::string html;
  for (const std::string& why : step.why) html += Preformatted(Printable("does not fit: " + why));
  return html;
}

void BindUsedSource(py::module_& m) {
  py::class_<UsedSource> type(m, "UsedSource", "A figure that a prediction rests on.");
  Attribute(type, "name", &UsedSource::name, "whose figure, and which");
  Attribute(
      type, "kind", &UsedSource::kind, "measured, fitted, datasheet, paper, derived or assumed");
  Attribute(type, "key", &UsedSource::from, "of hardware/references.yaml");
  Attribute(type, "place", &UsedSource::place, "file:line:column where it stands");
  type.def("__repr__", [](const UsedSource& s) {
    return "<UsedSource " + Printable(s.name) + ": " + s.from + " (" + std::string(NameOf(s.kind)) +
           ")>";
  });
}

void BindMemory(py::module_& m) {
  py::class_<MemoryView> type(m, "Memory", R"(Bytes on the fullest device, and what is left there.

``str()`` draws the ledger; `ledger` walks it.)");
  const auto of_step = [&](const char* name, auto member, const char* doc) {
    Attribute(
        type, name, [member](const MemoryView& v) { return (*v.step).*member; }, doc);
  };
  const auto of_report = [&](const std::string& name, auto member, const std::string& doc) {
    using T = std::remove_cvref_t<decltype(std::declval<MemoryReport>().*member)>;
    const std::string unit = UnitOf<T>();
    Attribute(
        type,
        name + SuffixOf<T>(),
        [member](const MemoryView& v) { return v.step->memory.*member; },
        doc + (unit.empty() ? "" : " [" + unit + "]"));
  };
  of_step("fits", &StepTime::fits, "whether everything fits");
  of_step("why", &StepTime::why, "if not: by how much, on which device");
  of_step("plan", &StepTime::plan, "how the model is spread, with nothing left open");
  of_step("assumptions", &StepTime::assumptions, "what was chosen for you, and why");
  Attribute(
      type,
      "bytes",
      [](const MemoryView& v) { return v.step->memory.bytes.bytes.value(); },
      "used on the fullest device [B]");
  of_report("capacity", &MemoryReport::capacity, "that the device reports");
  of_report("headroom", &MemoryReport::headroom, "capacity less what is used; negative: too much");
  of_report("stage", &MemoryReport::rank_stage, "pipeline stage of the fullest device, from 0 [1]");
  Attribute(
      type,
      "kv_bytes_per_token",
      [](const MemoryView& v) { return v.step->memory.kv_bytes_per_token.value(); },
      "KV cache of one token there [B]");
  of_report("kv_tokens", &MemoryReport::kv_tokens, "room for KV cache in serving [tokens]");
  of_report("kv_concurrency", &MemoryReport::kv_concurrency, "room in serving [sequences]");
  of_report("kv_length", &MemoryReport::kv_length, "length of those sequences [tokens]");
  const auto of_kv = [&](const std::string& name, auto member, const char* doc) {
    Attribute(
        type, name, [member](const MemoryView& v) { return member(v.step->memory.kv); }, doc);
  };
  of_kv(
      "kv_policy",
      [](const KvReport& kv) { return std::string(NameOf(kv.layout.policy)); },
      "what layers with windows reserve: full, window, hybrid or pools");
  of_kv(
      "kv_bytes_per_request",
      [](const KvReport& kv) { return kv.request.value(); },
      "one sequence of kv_length tokens there [B]");
  of_kv(
      "kv_fixed_bytes_per_request",
      [](const KvReport& kv) { return kv.fixed.value(); },
      "of a long sequence, whatever its length: states and full windows [B]");
  of_kv(
      "kv_pool_bytes",
      [](const KvReport& kv) { return kv.pool.value(); },
      "memory that there is for KV cache [B]");
  of_report("parameters", &MemoryReport::parameters, "of the whole model");
  of_report("phase", &MemoryReport::phase, "of training when it is fullest; None in serving");
  of_report("verdict", &MemoryReport::verdict, "fits, tight or out of memory");
  of_report("logged", &MemoryReport::logged, "what the training framework itself reports, or None");
  type.def(
      "ledger",
      [](const MemoryView& v) { return v.step.Ledger(); },
      "The bytes as a tree: weights, KV cache, activations and what else there is.");
  type.def("__str__", [](const MemoryView& v) { return WithoutEnd(FormatMemory(v.step->memory)); });
  type.def("__repr__", [](const MemoryView& v) {
    return "<Memory " + FormatGib(v.step->memory.bytes.bytes) + " of " +
           FormatGib(v.step->memory.capacity) + ", " + (v.step->fits ? "fits>" : "does not fit>");
  });
  type.def("_repr_html_",
           [](const MemoryView& v) { return WhyHtml(*v.step) + TreeHtml(v.step.Ledger()); });
  BindDocument(type);
}

}  // namespace

void BindStepTime(py::module_& m) {
  BindUsedSource(m);
  BindMemory(m);
  py::class_<Step> type(m, "StepTime", R"(A predicted step with everything needed to believe it.

``str()`` is the report that the command prints, ``to_dict()`` its ``--json``.)");
  const auto add = [&](const char* name, auto member, const char* doc) {
    Attribute(
        type, name, [member](const Step& s) { return (*s).*member; }, doc);
  };
  Attribute(
      type, "time_s", [](const Step& s) { return s->time.value(); }, "one step [s]");
  Attribute(
      type,
      "interval_s",
      "tuple[float, float] | None",
      [](const Step& s) -> py::object {
        if (!s->interval) return py::none();
        return py::make_tuple(s->interval->low.value(), s->interval->high.value());
      },
      "where the true time lies with probability `interval_level`; None without a fit [s]");
  Attribute(
      type,
      "interval_level",
      [](const Step& s) { return s->interval ? std::optional(s->interval->level) : std::nullopt; },
      "probability, 0 to 1; None without a fit [1]");
  add("bound", &StepTime::bound, "what limits most of the time: compute, memory, network or host");
  add("fits", &StepTime::fits, "whether it fits in memory; the time is given in any case");
  add("why", &StepTime::why, "if it doesn't fit: by how much, on which device");
  add("mfu", &StepTime::mfu, "model FLOPs utilisation of training, 0 to 1; else None [1]");
  add("hfu", &StepTime::hfu, "the same with recomputed forward work counted; else None [1]");
  add("flops_convention", &StepTime::flops_convention, "how `mfu` counts FLOPs");
  Attribute(
      type,
      "model_flops",
      [](const Step& s) { return s->model_flops.value(); },
      "of the step on the whole cluster by that convention [FLOP]");
  Attribute(
      type,
      "memory_bytes",
      [](const Step& s) { return s->memory.bytes.bytes.value(); },
      "used on the fullest device [B]");
  Attribute(
      type,
      "memory",
      "Memory",
      [](const Step& s) { return MemoryView{s}; },
      "the ledger of the fullest device, room for KV cache, parameters");
  add("plan", &StepTime::plan, "how the model is spread, with nothing left open");
  add("tokens_per_s", &StepTime::tokens_per_s, "of the whole cluster [tokens/s]");
  add("tokens_per_s_per_device", &StepTime::tokens_per_s_per_device, "of a device [tokens/s]");
  add("assumptions", &StepTime::assumptions, "what was chosen for you, and why");
  add("extrapolated", &StepTime::extrapolated, "inputs outside the range that was fitted");
  add("verb", &StepTime::verb, "what was predicted, as in \"predict decode\"");
  add("model", &StepTime::model, "name of the model");
  add("cluster", &StepTime::cluster, "name of the cluster");
  type.def("breakdown", &Step::Breakdown, "The time as a tree that sums to the whole.");
  type.def(
      "sources",
      [](const Step& s) { return Typed<"tuple[UsedSource, ...]">{ToPython(s->sources)}; },
      "Every figure that the prediction rests on, and where it comes from.");
  type.def("__str__", [](const Step& s) { return ForPeople(WithoutEnd(FormatReport(*s))); });
  type.def("__repr__",
           [](const Step& s) { return ForPeople("<StepTime " + FormatAnswer(*s) + ">"); });
  type.def("_repr_html_", [](const Step& s) {
    return Preformatted(FormatAnswer(*s)) + WhyHtml(*s) + TreeHtml(s.Breakdown());
  });
  type.def(
      "__eq__",
      [](const Step& s, const Typed<"object">& other) {
        return py::isinstance<Step>(other.object) &&
               DocumentOf(s) == DocumentOf(other.object.cast<const Step&>());
      },
      py::arg("other"));
  BindDocument(type);
}

}  // namespace roofcast::python
