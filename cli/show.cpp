// SPDX-License-Identifier: Apache-2.0
#include "cli/show.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <type_traits>

#include "cli/run.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/output.h"
#include "core/table.h"
#include "core/yaml_node.h"
#include "hardware/catalog.h"
#include "hardware/derived.h"
#include "models/coefficients.h"
#include "models/engine.h"
#include "models/llm/config.h"
#include "models/llm/described/spec.h"
#include "models/steps/json.h"

namespace roofcast::cli {
namespace {

template <class S>
Sheet SheetOf(std::string kind, const S& spec) {
  Sheet sheet;
  sheet.kind = std::move(kind);
  sheet.name = spec.name;
  sheet.title = spec.title;
  sheet.file = spec.file;
  FigureLister lister(spec.sources);
  lister.Walk(spec);
  sheet.figures = lister.shown();
  return sheet;
}

Sheet SheetOfDevice(const Device& device) {
  Sheet sheet = SheetOf("device", device);
  for (const auto& [dtype, point] : RidgePoints(device)) {
    sheet.derived.push_back({"ridge point " + std::string(NameOf(dtype)),
                             Format(point) + " FLOP/B",
                             "dense peak / memory bandwidth",
                             point.value(),
                             "FLOP/B"});
  }
  for (const auto& [dtype, peak] : PeaksPerWatt(device)) {
    sheet.derived.push_back({"peak per watt " + std::string(NameOf(dtype)),
                             FormatRounded(FlopRate::kDim, peak.value()) + "/W",
                             "dense peak / power",
                             peak.value(),
                             "FLOP/J"});
  }
  const Seconds read = TimeToReadMemory(device);
  sheet.derived.push_back({"read all memory",
                           Format(read),
                           "capacity that a program sees / memory bandwidth",
                           read.value(),
                           "s"});
  // How much slower a neighbour's memory is than the device's own.
  const Cluster cluster = ClusterOf(device, 1);
  for (const Tier& tier : cluster.topology.tiers) {
    const double ratio = MemoryOverTier(device, tier);
    sheet.derived.push_back({"memory : " + tier.name,
                             FormatRounded(Dim{}, ratio) + " : 1",
                             "memory bandwidth / " + Format(tier.PerDevice()) + " a direction (" +
                                 tier.link.name + ", " + cluster.node.name + ")",
                             ratio,
                             "1"});
  }
  return sheet;
}

Sheet SheetOfCluster(const ClusterSpec& spec) {
  Sheet sheet = SheetOf("cluster", spec);
  const Device device = LoadDevice(spec.device);
  const std::int64_t devices = spec.nodes * spec.devices_per_node;
  sheet.derived.push_back({"devices", std::to_string(devices), "nodes x devices_per_node"});
  sheet.derived.push_back(
      {"device memory", FormatGib(device.memory.Visible() * devices), "of all devices"});
  for (const TierSpec& tier : spec.tiers) {
    const Bandwidth reach = LoadLink(tier.link).bandwidth_per_direction * tier.links_per_device;
    sheet.derived.push_back(
        {tier.name + " per device", Format(reach), "one direction, " + tier.link});
  }
  return sheet;
}

Sheet SheetOfFile(const std::string& path) {
  std::error_code error;
  const bool model = path.ends_with(".json") || path.ends_with(".args");
  if (model || std::filesystem::is_directory(path, error)) {
    return SheetOfModel(LoadLlm(path));
  }
  const bool yaml = path.ends_with(".yaml") || path.ends_with(".yml");
  if (!yaml && !std::filesystem::exists(path, error)) return SheetOfModel(LoadLlm(path));  // cached
  const CatalogFile file = ReadUserFile(path);
  const YamlNode node = ParseYaml(file.text, file.place);
  if (IsDescribedLlm(node)) return SheetOfModel(LoadLlm(path));
  if (node.Find("coefficients") != nullptr) return SheetOf("coefficients", LoadFit(path));
  if (HoldsEngine(node)) return SheetOf("engine", LoadEngine(path));
  if (node.Find("devices_per_node") != nullptr) return SheetOfCluster(LoadClusterSpec(path));
  if (node.Find("bandwidth_per_direction") != nullptr) return SheetOf("link", LoadLink(path));
  return SheetOfDevice(LoadDevice(path));
}

// Runs `load`; nothing when no such name is known.
template <class Load>
std::optional<std::invoke_result_t<Load>> TryLoad(Load load) {
  try {
    return load();
  } catch (const NotFoundError&) {
    return std::nullopt;
  }
}

[[noreturn]] void RefuseName(const std::string& name) {
  std::vector<std::string> known = {"coefficients"};
  for (const auto& list : {ListDevices(), ListLinks(), ListClusters()}) {
    for (const CatalogName& entry : list) {
      known.push_back(entry.name);
      known.insert(known.end(), entry.aliases.begin(), entry.aliases.end());
    }
  }
  for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) known.push_back(file.name);
  for (const std::string& engine : EngineNames()) known.push_back(engine);
  const std::string cure = DidYouMean(name, known);
  throw NotFoundError("'" + Printable(name) +
                      "': no device, link, cluster, model or engine of that name" +
                      (cure.empty() ? "; 'roofcast list' names all" : cure));
}

Sheet SheetOfName(const std::string& name) {
  if (name == "coefficients") return SheetOf("coefficients", LoadFit());
  if (LooksLikePath(name) && !IsHardwareName(name)) return SheetOfFile(name);
  if (auto device = TryLoad([&] { return LoadDevice(name); })) return SheetOfDevice(*device);
  if (auto link = TryLoad([&] { return LoadLink(name); })) return SheetOf("link", *link);
  if (auto spec = TryLoad([&] { return LoadClusterSpec(name); })) return SheetOfCluster(*spec);
  if (auto llm = TryLoad([&] { return LoadLlm(name); })) return SheetOfModel(*llm);
  if (auto engine = TryLoad([&] { return LoadEngine(name); })) return SheetOf("engine", *engine);
  if (auto fit = TryLoad([&] { return LoadFit(name); })) return SheetOf("coefficients", *fit);
  RefuseName(name);
}

// Fields that the heading has already.
bool IsHeading(const Shown& shown) {
  return shown.path == "name" || shown.path == "title" || shown.path == "aliases";
}

std::string Heading(const Sheet& sheet) {
  constexpr std::size_t kLongest = 100;
  constexpr std::size_t kLabel = 9;
  std::string kind = sheet.kind;
  kind.resize(std::max(kLabel, kind.size() + 2), ' ');
  std::string text =
      Printable(kind + sheet.name + (sheet.title.empty() ? "" : ": " + sheet.title)) + "\n" +
      Printable("file     " + sheet.file) + "\n";
  for (const Shown& shown : sheet.figures) {
    if (shown.path != "aliases") continue;
    std::string line = "aliases  ";
    for (const std::string& alias : Split(Printable(shown.value), ',')) {
      const std::string name(Trim(alias));
      if (line.size() > kLabel) line += ",";
      if (line.size() + name.size() + 2 > kLongest) {
        text += line + "\n";
        line.assign(kLabel - 1, ' ');
      }
      line += (line.size() == kLabel ? "" : " ") + name;
    }
    text += line + "\n";
  }
  return text + "\n";
}

std::string Text(const Sheet& sheet, bool quiet) {
  std::string text = quiet ? "" : Heading(sheet);
  const bool sourced = std::any_of(sheet.figures.begin(),
                                   sheet.figures.end(),
                                   [](const Shown& shown) { return shown.source.has_value(); });
  std::vector<TableColumn> columns = {{"figure", Align::kLeft}, {"value", Align::kLeft}};
  if (sourced) {
    columns.insert(columns.end(),
                   {{"kind", Align::kLeft}, {"source", Align::kLeft}, {"note", Align::kLeft}});
  }
  Table figures(std::move(columns));
  for (const Shown& shown : sheet.figures) {
    if (IsHeading(shown)) continue;
    std::vector<std::string> cells = {shown.path, shown.value};
    if (shown.source.has_value()) {
      cells.insert(
          cells.end(),
          {std::string(NameOf(shown.source->kind)), shown.source->key, shown.source->note});
    }
    figures.AddRow(std::move(cells));
  }
  text += figures.Text();
  if (!sheet.text.empty()) text += "\n" + sheet.text;
  if (quiet || sheet.derived.empty()) return text;
  Table derived({{"derived", Align::kLeft}, {"value", Align::kLeft}, {"how", Align::kLeft}});
  for (const Sheet::Derived& row : sheet.derived) derived.AddRow({row.name, row.value, row.how});
  return text + "\n" + derived.Text();
}

Json Document(const Sheet& sheet) {
  Json json = DocumentHeader("show");
  json["kind"] = sheet.kind;
  json["name"] = sheet.name;
  json["title"] = sheet.title;
  json["file"] = sheet.file;
  json["figures"] = Json::array();
  for (const Shown& shown : sheet.figures) {
    Json row = {{"name", shown.path}, {"value", shown.value}};
    if (shown.number) row["number"] = *shown.number;
    if (!shown.unit.empty()) row["unit"] = shown.unit;
    if (shown.source.has_value()) {
      row["kind"] = NameOf(shown.source->kind);
      row["from"] = shown.source->key;
      row["note"] = shown.source->note;
      row["place"] = Format(shown.source->place);
    }
    json["figures"].push_back(std::move(row));
  }
  json["derived"] = Json::array();
  for (const Sheet::Derived& row : sheet.derived) {
    Json derived = {{"name", row.name}, {"value", row.value}, {"how", row.how}};
    if (row.number) derived["number"] = *row.number;
    if (!row.unit.empty()) derived["unit"] = row.unit;
    json["derived"].push_back(std::move(derived));
  }
  return json;
}

std::string Csv(const Sheet& sheet) {
  CsvWriter csv({"name", "value", "kind", "from", "note", "place"});
  for (const Shown& shown : sheet.figures) {
    csv.Add(shown.path).Add(shown.value);
    if (!shown.source) {
      csv.Add("").Add("").Add("").Add("");
    } else {
      csv.Add(NameOf(shown.source->kind)).Add(shown.source->key).Add(shown.source->note);
      csv.Add(Format(shown.source->place));
    }
    csv.EndRow();
  }
  for (const Sheet::Derived& row : sheet.derived) {
    csv.Add(row.name).Add(row.value).Add("derived").Add("").Add(row.how).Add("");
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace

int RunShow(const Verb& verb, const Arguments& arguments) {
  const OutputFormat format = FormatOf(arguments);
  if (arguments.names.empty()) {
    throw ArgumentError("does not say what to show; write for example '" +
                        std::string(verb.examples.front()) + "'");
  }
  const Sheet sheet = SheetOfName(arguments.names.front());
  WriteOutput(arguments.Get("output"),
              format == OutputFormat::kJson  ? FormatJson(Document(sheet))
              : format == OutputFormat::kCsv ? Csv(sheet)
                                             : Text(sheet, arguments.Has("quiet")));
  return kSuccess;
}

}  // namespace roofcast::cli
