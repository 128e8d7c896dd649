// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "models/parallelism/plan.h"
#include "python/bindings/bind.h"
#include "python/bindings/fields.h"
#include "python/bindings/plan_argument.h"

namespace roofcast::python {
namespace {

constexpr const char* kPlanDoc = R"(How a model is spread over devices.

``repr`` and ``str`` are the text that the command takes, ``"tp8-pp4-dp2"``.

Parameters
----------
tp : int [devices], default 1
    Tensor parallelism: devices that share every layer.
pp : int [stages], default 1
    Pipeline parallelism: stages that the layers are split over.
dp : int [copies], default 0
    Data parallelism in training; 0 is what the cluster leaves.
micro_batch : int [sequences], default 1
    Sequences that go through the pipeline together in training.
zero : int [1], default 0
    Sharded over dp: 1 optimizer states, 2 and gradients, 3 and weights (FSDP).
recompute : str, default "none"
    "full" keeps only the inputs of layers for backward, "selective" all but scores of attention.
sequence_parallel : bool, default True
    Norms and residuals are split over tp in training.
replicas : int [copies], default 0
    Independent copies in serving; 0 is what the cluster leaves.
cp : int [devices], default 1
    Context parallelism in training: devices that share each sequence.
ep : int [devices], default 1
    Expert parallelism, carved out of tp x cp x dp.
moe_tp : int [devices], default 0
    Devices that share each expert; 0 is tp, or 1 with ep.
vpp : int [chunks], default 1
    Chunks of layers that a stage holds, interleaved.
shard : int [devices], default 0
    Devices that zero shards over (HSDP); 0 is dp x cp.
stages : str, default None
    "even", "by-cost", "by-cost-passing", or the layers of each stage as "20,20,21,19"; None is
    the training engine's rule.

Raises
------
ArgumentError
    If a value can't be used by itself; against model and cluster it is checked in a prediction.

Examples
--------
>>> import roofcast as rc
>>> plan = rc.Plan(tp=8, pp=4, micro_batch=2)
>>> plan
tp8-pp4
>>> plan.replace(dp=2)
tp8-pp4-dp2)";

Plan NewPlan(const IntArgument& tp,
             const IntArgument& pp,
             const IntArgument& dp,
             const IntArgument& micro_batch,
             const IntArgument& zero,
             const NameArgument& recompute,
             bool sequence_parallel,
             const IntArgument& replicas,
             const IntArgument& cp,
             const IntArgument& ep,
             const IntArgument& moe_tp,
             const IntArgument& vpp,
             const IntArgument& shard,
             const OptionalNameArgument& stages) {
  Plan plan;
  plan.tp = WholeNumber(tp.object, "tp", 1);
  plan.pp = WholeNumber(pp.object, "pp", 1);
  plan.dp = WholeNumber(dp.object, "dp", 0);
  plan.micro_batch = WholeNumber(micro_batch.object, "micro_batch", 1);
  plan.zero = WholeNumber(zero.object, "zero", 0);
  const std::string word = Text(recompute.object, "recompute");
  const auto known = FindEnum<Recompute>(word);
  if (!known) {
    throw ArgumentError("recompute='" + Printable(word) + "': is unknown; use " +
                        JoinWithOr(EnumWords<Recompute>()));
  }
  plan.recompute = *known;
  plan.sequence_parallel = sequence_parallel;
  plan.replicas = WholeNumber(replicas.object, "replicas", 0);
  plan.cp = WholeNumber(cp.object, "cp", 1);
  plan.ep = WholeNumber(ep.object, "ep", 1);
  plan.moe_tp = WholeNumber(moe_tp.object, "moe_tp", 0);
  plan.vpp = WholeNumber(vpp.object, "vpp", 1);
  plan.shard = WholeNumber(shard.object, "shard", 0);
  if (!stages.object.is_none()) SetStages(Text(stages.object, "stages"), plan);
  return plan;
}

py::dict DictOf(const Plan& plan) {
  py::dict dict;
  dict["tp"] = plan.tp;
  dict["pp"] = plan.pp;
  dict["dp"] = plan.dp;
  dict["micro_batch"] = plan.micro_batch;
  dict["zero"] = plan.zero;
  dict["recompute"] = NameOf(plan.recompute);
  dict["sequence_parallel"] = plan.sequence_parallel;
  dict["replicas"] = plan.replicas;
  dict["cp"] = plan.cp;
  dict["ep"] = plan.ep;
  dict["moe_tp"] = plan.moe_tp;
  dict["vpp"] = plan.vpp;
  dict["shard"] = plan.shard;
  dict["stages"] = ToPython(StagesText(plan));
  return dict;
}

Plan FromDict(const py::dict& dict) {
  return py::type::of<Plan>()(**dict).cast<Plan>();
}

py::dict Replaced(const Plan& plan, const py::kwargs& changes) {
  py::dict dict = DictOf(plan);
  for (const auto& [key, value] : changes) {
    if (!dict.contains(key)) {
      std::vector<std::string> known;
      for (const auto& [name, unused] : dict) known.push_back(name.cast<std::string>());
      const std::string word = Text(py::reinterpret_borrow<py::object>(key), "replace");
      throw py::type_error("replace: a plan has no '" + Printable(word) + "'" +
                           DidYouMean(word, known));
    }
    dict[key] = value;
  }
  return dict;
}

}  // namespace

std::optional<Plan> OptionalPlan(const PlanArgument& plan) {
  if (plan.object.is_none()) return std::nullopt;
  if (py::isinstance<Plan>(plan.object)) return plan.object.cast<Plan>();
  return ParsePlan(Text(plan.object, "plan"));
}

void BindPlan(py::module_& m) {
  py::class_<Plan> type(m, "Plan", kPlanDoc);
  type.def(py::init(&NewPlan),
           py::kw_only(),
           py::arg("tp") = 1,
           py::arg("pp") = 1,
           py::arg("dp") = 0,
           py::arg("micro_batch") = 1,
           py::arg("zero") = 0,
           py::arg("recompute") = "none",
           py::arg("sequence_parallel").noconvert() = true,
           py::arg("replicas") = 0,
           py::arg("cp") = 1,
           py::arg("ep") = 1,
           py::arg("moe_tp") = 0,
           py::arg("vpp") = 1,
           py::arg("shard") = 0,
           py::arg("stages") = py::none());
  Attribute(type, "tp", &Plan::tp, "tensor parallelism [devices]");
  Attribute(type, "pp", &Plan::pp, "pipeline stages [stages]");
  Attribute(type, "dp", &Plan::dp, "data parallelism; 0: what the cluster leaves [copies]");
  Attribute(type, "micro_batch", &Plan::micro_batch, "of training [sequences]");
  Attribute(type,
            "zero",
            &Plan::zero,
            "sharded over dp: 1 optimizer, 2 and gradients, 3 and weights [1]");
  Attribute(type, "recompute", &Plan::recompute, "none, selective or full");
  Attribute(type,
            "sequence_parallel",
            &Plan::sequence_parallel,
            "whether norms and residuals are split over tp in training");
  Attribute(type, "replicas", &Plan::replicas, "of serving; 0: what the cluster leaves [copies]");
  Attribute(type, "cp", &Plan::cp, "context parallelism of training [devices]");
  Attribute(type, "ep", &Plan::ep, "expert parallelism [devices]");
  Attribute(type, "moe_tp", &Plan::moe_tp, "devices that share each expert; 0: by ep [devices]");
  Attribute(type, "vpp", &Plan::vpp, "chunks of layers a stage [chunks]");
  Attribute(type, "shard", &Plan::shard, "that zero shards over; 0: dp x cp [devices]");
  Attribute(type, "stages", &StagesText, "how layers are dealt to stages; None: as the engine");
  type.def_static(
      "parse",
      [](const NameArgument& text) { return ParsePlan(Text(text.object, "text")); },
      py::arg("text"),
      R"(A plan from its text.

Parameters
----------
text : str
    Degrees with "-" between, ``"tp8-pp4"``.

Returns
-------
Plan

Raises
------
ArgumentError
    If it is none.)");
  type.def(
      "replace",
      [](const Plan& plan, const py::kwargs& changes) { return FromDict(Replaced(plan, changes)); },
      "The same plan with some of the constructor's parameters changed.");
  type.def(
      "to_dict",
      [](const Plan& plan) { return Typed<"dict[str, Any]">{DictOf(plan)}; },
      "What `Plan(**dict)` makes the same plan of.");
  type.def("__repr__", &FormatPlan);
  type.def("__str__", &FormatPlan);
  type.def(
      "__eq__",
      [](const Plan& plan, const Typed<"object">& other) {
        return py::isinstance<Plan>(other.object) && plan == other.object.cast<const Plan&>();
      },
      py::arg("other"));
  type.def("__hash__",
           [](const Plan& plan) { return py::hash(py::tuple(DictOf(plan).attr("values")())); });
  // Plan(**dict), in whatever protocol of pickle.
  type.def("__reduce__", [](const py::object& self) {
    const py::object partial = py::module_::import("functools").attr("partial");
    return py::make_tuple(partial(py::type::of(self), **DictOf(self.cast<const Plan&>())),
                          py::tuple());
  });
  BindCopies(type);
}

}  // namespace roofcast::python
