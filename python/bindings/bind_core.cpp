// SPDX-License-Identifier: Apache-2.0
#include "core/fields_doc.h"
#include "core/text.h"
#include "hardware/cluster.h"
#include "models/coefficients.h"
#include "models/engine.h"
#include "models/llm/described/spec.h"
#include "models/steps/json.h"
#include "python/bindings/bind.h"
#include "python/bindings/breakdown.h"
#include "python/bindings/fields.h"

namespace roofcast::python {

Source SourceOf(const Sources& sources, const std::string& owner, const std::string& key_path) {
  if (const auto found = sources.find(key_path); found != sources.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [path, source] : sources) known.push_back(path);
  throw NotFoundError(Printable(owner) + ": gives no figure '" + Printable(key_path) + "'" +
                      DidYouMean(key_path, known));
}

void BindSources(py::module_& m) {
  py::class_<Source> type(m, "Source", "Where one figure of a file comes from.");
  Attribute(type, "key", &Source::key, "of hardware/references.yaml");
  Attribute(type, "kind", &Source::kind, "measured, fitted, datasheet, paper, derived or assumed");
  Attribute(type, "note", &Source::note, "what to know about it; may be empty");
  Attribute(
      type,
      "place",
      [](const Source& s) { return Format(s.place); },
      "file:line:column where the figure stands");
  type.def("__repr__", [](const Source& s) {
    return "<Source " + s.key + " (" + std::string(NameOf(s.kind)) + "), " + Format(s.place) + ">";
  });
}

void BindBreakdown(py::module_& m) {
  py::class_<TreeNode> type(m, "Node", R"(A line of a breakdown of time or of bytes.

Time is exposed time: each instant of the step belongs to one leaf, so a node is the sum of its
children, and what runs beside something longer is `hidden_s`, outside the sum. ``str()`` draws the
tree, iteration walks it (parents first), ``node["name"]`` is a child.)");
  Attribute(
      type, "name", [](const TreeNode& n) { return n->name; }, "what the line is called");
  Attribute(
      type,
      "kind",
      [](const TreeNode& n) { return n->kind; },
      "operator, collective, host, group or bytes");
  Attribute(
      type, "time_s", [](const TreeNode& n) { return n->time.value(); }, "exposed time [s]");
  Attribute(
      type,
      "hidden_s",
      [](const TreeNode& n) { return n->hidden.value(); },
      "time that something longer hides [s]");
  Attribute(
      type,
      "bytes",
      [](const TreeNode& n) { return n->bytes.value(); },
      "size, in a ledger of memory [B]");
  Attribute(type, "share", &TreeNode::Share, "part of the whole tree, 0 to 1 [1]");
  Attribute(
      type,
      "bound",
      [](const TreeNode& n) { return n->bound; },
      "what limits it: compute, memory, network or host");
  Attribute(
      type, "count", [](const TreeNode& n) { return n->count; }, "runs in the step [1]");
  Attribute(
      type,
      "children",
      "tuple[Node, ...]",
      [](const TreeNode& n) { return n.Children(); },
      "the lines below, of which it is the sum");
  type.def("__str__", &TreeText);
  type.def("__repr__", [](const TreeNode& n) {
    const std::string size = n.OfBytes() ? FormatGib(n->bytes) : Format(n->time);
    return "<Node " + Printable(n->name) + ": " + size + ", " + std::to_string(n->children.size()) +
           " children>";
  });
  type.def("_repr_html_", &TreeHtml);
  type.def("__iter__",
           [](const TreeNode& n) { return Typed<"Iterator[Node]">{py::iter(ToPython(n.Walk()))}; });
  type.def(
      "__getitem__",
      [](const TreeNode& n, const NameArgument& name) {
        return n.Child(Text(name.object, "name"));
      },
      py::arg("name"));
  type.def(
      "__eq__",
      [](const TreeNode& n, const Typed<"object">& other) {
        return py::isinstance<TreeNode>(other.object) &&
               SameTree(*n, *other.object.cast<const TreeNode&>());
      },
      py::arg("other"));
  type.def(
      "to_dict",
      [](const TreeNode& n) { return Typed<"dict[str, Any]">{FromJson(ToJson(*n))}; },
      "The tree as plain data, as in the JSON of the command.");
  type.def(
      "to_frame",
      [](const py::object& n) {
        const py::object frame = py::module_::import("roofcast.frame");
        return Typed<"pandas.DataFrame">{frame.attr("tree_frame")(n)};
      },
      "The tree as a pandas DataFrame, a row a node; pandas must be installed.");
  BindCopies(type);
}

namespace {

template <HasFields S>
py::list DocsOf() {
  py::list rows;
  for (const FieldDoc& field : FieldDocs<S>()) {
    rows.append(py::make_tuple(field.path, field.type, field.unit, field.required, field.doc));
  }
  return rows;
}

}  // namespace

void BindSpecFields(py::module_& m) {
  // For docs/generate.py.
  m.def("_spec_fields", [] {
    py::dict docs;
    docs["accelerator"] = DocsOf<Device>();
    docs["link"] = DocsOf<Link>();
    docs["cluster"] = DocsOf<ClusterSpec>();
    docs["fit"] = DocsOf<Fit>();
    docs["model"] = DocsOf<DescribedLlm>();
    docs["engine"] = DocsOf<Engine>();
    return docs;
  });
  m.def("_units", [] {
    py::dict units;
    for (const Dim dim : {Seconds::kDim,
                          Hertz::kDim,
                          Bytes::kDim,
                          Bandwidth::kDim,
                          Flops::kDim,
                          FlopRate::kDim,
                          Joules::kDim,
                          Watts::kDim,
                          Dollars::kDim,
                          DollarRate::kDim}) {
      py::list symbols;
      for (const Unit& unit : UnitsOf(dim)) symbols.append(unit.symbol);
      units[py::str(UnitsOf(dim).front().symbol)] = symbols;
    }
    return units;
  });
}

}  // namespace roofcast::python
