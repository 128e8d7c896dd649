// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "cli/run.h"
#include "core/catalog.h"
#include "core/csv.h"
#include "core/error.h"
#include "core/output.h"
#include "core/table.h"
#include "core/text.h"
#include "core/units.h"
#include "hardware/catalog.h"
#include "models/engine.h"
#include "models/llm/config.h"
#include "models/llm/parameters.h"
#include "models/steps/json.h"

namespace roofcast::cli {
namespace {

// One name of the catalog with what tells it from its neighbours.
struct Entry {
  CatalogName name;
  std::string summary;
};
struct Kind {
  std::string_view name;  // "devices"
  std::vector<Entry> (*list)();
};

// What `describe` says of a name; a file that can't be read doesn't hide the others.
template <class Describe>
std::vector<Entry> Described(std::vector<CatalogName> names, Describe describe) {
  std::vector<Entry> entries;
  for (CatalogName& name : names) {
    Entry entry{std::move(name), ""};
    try {
      entry.summary = describe(entry.name.name);
    } catch (const Error&) {
      entry.summary = "can't be read; 'roofcast lint " + entry.name.place + "' says why";
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<Entry> ListModels() {
  std::vector<CatalogName> names;
  for (const CatalogFile& file : ListCatalog(CatalogKind::kModels)) {
    names.push_back({file.name, "", file.place, {}});
  }
  std::sort(
      names.begin(), names.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return Described(std::move(names), [](const std::string& name) {
    const Llm llm = LoadLlm(name);
    const ParameterCounts counts = CountParameters(llm);
    std::string text = FormatCount(static_cast<double>(counts.total)) + " parameters";
    if (counts.active_with_embeddings != counts.total) {
      text += ", " + FormatCount(static_cast<double>(counts.active_with_embeddings)) + " active";
    }
    return text + ", " + std::to_string(llm.LayerCount()) + " layers";
  });
}

std::vector<Entry> ListAllDevices() {
  return Described(ListDevices(), [](const std::string& name) {
    const Device device = LoadDevice(name);
    std::string text = Format(device.memory.capacity) + ", " + Format(device.memory.bandwidth);
    for (const DType dtype : {DType::kBf16, DType::kFp16, DType::kFp32}) {
      if (!device.Supports(dtype)) continue;
      text += ", " + Format(device.PeakOf(dtype)) + " " + std::string(NameOf(dtype));
      break;
    }
    return text;
  });
}

std::vector<Entry> ListAllLinks() {
  return Described(ListLinks(), [](const std::string& name) {
    return Format(LoadLink(name).bandwidth_per_direction) + " a direction";
  });
}

std::vector<Entry> ListAllClusters() {
  return Described(ListClusters(), [](const std::string& name) {
    const ClusterSpec spec = LoadClusterSpec(name);
    const std::string nodes =
        spec.nodes > 1 ? std::to_string(spec.nodes) + " nodes of " : std::string();
    return nodes + std::to_string(spec.devices_per_node) + " " + spec.device;
  });
}

std::vector<Entry> ListAllEngines() {
  std::vector<CatalogName> names;
  for (const std::string& name : EngineNames()) names.push_back({name, "", "", {}});
  std::vector<Entry> entries;
  for (CatalogName& name : names) {
    Entry entry{std::move(name), ""};
    try {
      const Engine engine = LoadEngine(entry.name.name);
      entry.name = {engine.name, engine.title, engine.file, engine.aliases};
      if (engine.admission) {
        const AdmissionRule& rule = *engine.admission;
        entry.summary = "KV " + std::string(NameOf(rule.kv_policy)) + ", blocks of " +
                        std::to_string(rule.block_size);
      }
    } catch (const Error&) {
      entry.summary = "can't be read; 'roofcast show " + entry.name.name + "' says why";
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

constexpr std::array kKinds = {Kind{"models", ListModels},
                               Kind{"devices", ListAllDevices},
                               Kind{"links", ListAllLinks},
                               Kind{"clusters", ListAllClusters},
                               Kind{"engines", ListAllEngines}};

struct Listing {
  std::string_view kind;
  std::vector<Entry> entries;
};

std::string Text(const std::vector<Listing>& listings, bool quiet) {
  std::string text;
  for (const Listing& listing : listings) {
    if (quiet) {
      for (const Entry& entry : listing.entries) text += Printable(entry.name.name) + "\n";
      continue;
    }
    const bool titled = std::any_of(listing.entries.begin(),
                                    listing.entries.end(),
                                    [](const Entry& entry) { return !entry.name.title.empty(); });
    std::vector<TableColumn> columns = {{std::string(listing.kind), Align::kLeft},
                                        {"figures", Align::kLeft}};
    if (titled) columns.push_back({"full name", Align::kLeft});
    Table table(std::move(columns));
    for (const Entry& entry : listing.entries) {
      std::vector<std::string> cells = {entry.name.name, entry.summary};
      if (titled) cells.push_back(entry.name.title);
      table.AddRow(std::move(cells));
    }
    text += (text.empty() ? "" : "\n") + table.Text();
  }
  return text;
}

Json Document(const std::vector<Listing>& listings) {
  Json json = DocumentHeader("list");
  for (const Listing& listing : listings) {
    Json rows = Json::array();
    for (const Entry& entry : listing.entries) {
      rows.push_back({{"name", entry.name.name},
                      {"title", entry.name.title},
                      {"aliases", entry.name.aliases},
                      {"summary", entry.summary},
                      {"file", entry.name.place}});
    }
    json[std::string(listing.kind)] = std::move(rows);
  }
  return json;
}

std::string Csv(const std::vector<Listing>& listings) {
  CsvWriter csv({"kind", "name", "title", "aliases", "summary", "file"});
  for (const Listing& listing : listings) {
    for (const Entry& entry : listing.entries) {
      std::string aliases;
      for (const std::string& alias : entry.name.aliases) {
        aliases += (aliases.empty() ? "" : "; ") + alias;
      }
      csv.Add(listing.kind).Add(entry.name.name).Add(entry.name.title).Add(aliases);
      csv.Add(entry.summary).Add(entry.name.place);
      csv.EndRow();
    }
  }
  return csv.text();
}

}  // namespace

int RunList(const Verb& /*verb*/, const Arguments& arguments) {
  const OutputFormat format = FormatOf(arguments);
  const std::string wanted = arguments.names.empty() ? "" : arguments.names.front();
  std::vector<Listing> listings;
  std::vector<std::string> known;
  for (const Kind& kind : kKinds) {
    known.emplace_back(kind.name);
    if (wanted.empty() || wanted == kind.name) listings.push_back({kind.name, kind.list()});
  }
  if (listings.empty()) {
    const std::string cure = DidYouMean(wanted, known);
    throw ArgumentError("'" + Printable(wanted) + "': no such list" +
                        (cure.empty() ? "; use " + JoinWithOr(known) : cure));
  }
  WriteOutput(arguments.Get("output"),
              format == OutputFormat::kJson  ? FormatJson(Document(listings))
              : format == OutputFormat::kCsv ? Csv(listings)
                                             : Text(listings, arguments.Has("quiet")));
  return kSuccess;
}

}  // namespace roofcast::cli
