// SPDX-License-Identifier: Apache-2.0
#include "core/text.h"
#include "hardware/catalog.h"
#include "hardware/cluster.h"
#include "hardware/derived.h"
#include "python/bindings/bind.h"
#include "python/bindings/fields.h"

namespace roofcast::python {
namespace {

constexpr const char* kLoadDeviceDoc = R"(An accelerator of the catalog or of a YAML file.

Parameters
----------
name : str or path
    A name or alias (``"h100-sxm"``, ``"H100-80GB SXM"``), or a path to a YAML file.

Returns
-------
Device

Raises
------
NotFoundError
    If nothing is called so; the message names the nearest.
SpecError
    If the file is wrong; `problems` has everything that is.

Examples
--------
>>> import roofcast as rc
>>> device = rc.load_device("h100-sxm")
>>> device.memory.bandwidth_bytes_per_s
3350000000000.0
>>> device.source("memory.bandwidth").kind
'datasheet')";

constexpr const char* kLoadClusterDoc = R"(A cluster: devices of one kind and the networks between.

Parameters
----------
name : str or path
    An accelerator, of whose default nodes the cluster is made (``"h100-sxm"``), with or without a
    count (``"h100-sxm:64"``); a cluster of the catalog; or a path to a YAML file of either.
devices : int [devices], optional
    How many devices; a last node may be partly used. Default: what the name says, all devices
    of a cluster, one of an accelerator.

Returns
-------
Cluster

Raises
------
NotFoundError
    If nothing is called so; the message names the nearest.
SpecError
    If the file is wrong.
ArgumentError
    If the count can't be used.

Examples
--------
>>> import roofcast as rc
>>> rc.load_cluster("h100-sxm", devices=64).nodes
8
>>> rc.load_cluster("h100-sxm:8")
<Cluster h100-sxm:8>)";

void BindTier(py::module_& m) {
  py::class_<Tier> type(m, "Tier", "One level of a cluster's network.");
  Attribute(type, "name", &Tier::name, "what reports call it");
  Attribute(type, "link", &Tier::link, "the link that it is made of");
  Attribute(type, "shape", &Tier::shape, "switch, mesh or ring");
  Attribute(type, "links_per_device", &Tier::links_per_device, "may be a fraction [1]");
  Attribute(type, "devices", &Tier::devices, "neighbouring devices that it joins");
  Attribute(
      type,
      "bandwidth_bytes_per_s",
      [](const Tier& t) { return t.PerDevice().value(); },
      "what a device can send, and receive at the same time [B/s]");
  type.def("__repr__", [](const Tier& t) {
    return "<Tier " + Printable(t.name) + ": " + Printable(t.link.name) + ", " +
           std::to_string(t.devices) + " devices>";
  });
}

void BindCluster(py::module_& m) {
  py::class_<Cluster> type(m, "Cluster", "Devices of one kind and the networks between them.");
  Attribute(type, "name", &Cluster::name, "as asked for, \"h100-sxm:64\"");
  Attribute(type, "device", &Cluster::device, "what it is made of");
  Attribute(type, "node", &Cluster::node, "the cluster file of its nodes");
  Attribute(type, "devices", &Cluster::devices, "devices in it [1]");
  Attribute(type, "nodes", &Cluster::Nodes, "nodes in it, a partly used one included [1]");
  Attribute(
      type,
      "tiers",
      [](const Cluster& c) { return c.topology.tiers; },
      "its networks from inner to outer");
  type.def("__repr__", [](const Cluster& c) { return "<Cluster " + Printable(c.name) + ">"; });
  type.def(
      "__eq__",
      [](const Cluster& c, const Typed<"object">& object) {
        if (!py::isinstance<Cluster>(object.object)) return false;
        const auto& other = object.object.cast<const Cluster&>();
        return c.name == other.name && c.devices == other.devices &&
               SameFields(c.device, other.device) && SameFields(c.node, other.node);
      },
      py::arg("other"));
  type.def("__hash__", [](const Cluster& c) { return py::hash(FromText(c.name)); });
  BindCopies(type);
}

std::vector<std::string> NamesOf(const std::vector<CatalogName>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const CatalogName& entry : entries) names.push_back(entry.name);
  return names;
}

void BindLists(py::module_& m) {
  m.def(
      "list_devices",
      [] { return Typed<"tuple[str, ...]">{ToPython(NamesOf(ListDevices()))}; },
      R"(Names that `load_device` knows, built in and the user's own.

Returns
-------
tuple of str

Examples
--------
>>> import roofcast as rc
>>> "h100-sxm" in rc.list_devices()
True)");
  m.def(
      "list_clusters",
      [] { return Typed<"tuple[str, ...]">{ToPython(NamesOf(ListClusters()))}; },
      R"(Names of clusters that `load_cluster` knows beside those of accelerators.

Returns
-------
tuple of str

Examples
--------
>>> import roofcast as rc
>>> "dgx-h100" in rc.list_clusters()
True)");
}

}  // namespace

void BindHardware(py::module_& m) {
  // Every class first: an attribute's annotation is the name of its class.
  py::class_<DeviceMemory> memory(m, "DeviceMemory", "The memory that holds weights and KV cache.");
  py::class_<DeviceCache> cache(m, "DeviceCache", "The last cache before device memory.");
  py::class_<Device> device(m, "Device", "One accelerator. Peaks are dense.");
  py::class_<Link> link(m, "Link", "One cable, lane bundle or network port.");
  py::class_<Host> host(m, "Host", "The processors and memory of a node.");
  py::class_<TierSpec> tier(m, "TierSpec", "A network as a cluster file writes it.");
  py::class_<ClusterSpec> cluster(m, "ClusterSpec", "A cluster file: nodes of one kind.");
  BindFields(memory);
  BindFields(cache);
  BindFields(device);
  Attribute(device, "ridge_points", RidgePoints, "dense peak over memory bandwidth [FLOP/B]");
  Attribute(
      device,
      "time_to_read_memory_s",
      [](const Device& d) { return TimeToReadMemory(d).value(); },
      "of all that a program sees, once [s]");
  BindFields(link);
  BindFields(host);
  BindFields(tier);
  BindFields(cluster);
  BindTier(m);
  BindCluster(m);

  m.def(
      "load_device",
      [](const PathArgument& name) {
        const std::string text = PathText(name.object, "name");
        const py::gil_scoped_release release;
        return LoadDevice(text);
      },
      py::arg("name"),
      kLoadDeviceDoc);
  m.def(
      "load_cluster",
      [](const PathArgument& name, const OptionalIntArgument& devices) {
        const std::string text = PathText(name.object, "name");
        if (devices.object.is_none()) {
          const py::gil_scoped_release release;
          return LoadCluster(text);
        }
        const std::int64_t count = WholeNumber(devices.object, "devices", 1);
        const py::gil_scoped_release release;
        return LoadCluster(text, count);
      },
      py::arg("name"),
      py::kw_only(),
      py::arg("devices") = py::none(),
      kLoadClusterDoc);
  BindLists(m);
}

}  // namespace roofcast::python
