// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "cli/run.h"
#include "core/catalog.h"
#include "core/csv.h"
#include "core/embedded.h"
#include "core/error.h"
#include "core/output.h"
#include "core/spec_reader.h"
#include "core/text.h"
#include "core/yaml_node.h"
#include "hardware/catalog.h"
#include "models/coefficients.h"
#include "models/engine.h"
#include "models/llm/config.h"
#include "models/llm/described/spec.h"
#include "models/steps/json.h"
#include "models/validation/source_profile.h"

namespace roofcast::cli {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostFiles = 100'000;

// What is wrong in the file, read as what it holds.
std::vector<Problem> Lint(const CatalogFile& file) {
  try {
    if (file.place.ends_with(".json")) {
      // From its place, a config is read with what lies beside it.
      file.built_in ? ParseLlm(file.text, file.name, file.place) : LoadLlm(file.place);
      return {};
    }
    if (file.place.ends_with(".args")) {
      LoadLlm(file.place);
      return {};
    }
    if (IsFitText(file.text)) {
      ReadFit(file.text, file.place);
      return {};
    }
    const YamlNode node = ParseYaml(file.text, file.place);
    if (IsDescribedLlm(node)) {
      ParseDescribedLlm(file.text, file.name, file.place);
      return {};
    }
    if (file.name == "references") {
      ReadReferences(node);
      return {};
    }
    if (HoldsEngine(node)) {
      ReadSpec<Engine>(node, BuiltInReferences());
      return {};
    }
    if (node.Find("implied") != nullptr || node.Find("tests") != nullptr) {
      ReadSpec<SourceProfile>(node, BuiltInReferences());
      return {};
    }
    return LintFile(file);
  } catch (const SpecError& error) {
    return error.problems();
  } catch (const Error& error) {
    return {{{file.place, 0, 0}, "", error.what(), ""}};
  }
}

struct Findings {
  std::int64_t files = 0;
  std::vector<Problem> problems;

  void Add(const CatalogFile& file) {
    ++files;
    const std::vector<Problem> found = Lint(file);
    problems.insert(problems.end(), found.begin(), found.end());
  }
  // A file that can't be read is one problem among the others.
  void AddFile(const std::string& path) {
    CatalogFile file;
    try {
      file = ReadUserFile(path);
    } catch (const NotFoundError& error) {
      ++files;
      AddUnreadable(path, error.what());
      return;
    }
    Add(file);
  }
  void AddProblem(const std::string& place, std::string text, std::string cure) {
    problems.push_back({{place, 0, 0}, "", std::move(text), std::move(cure)});
  }

 private:
  // `message` is "place: what is wrong; what to do".
  void AddUnreadable(const std::string& path, std::string message) {
    const std::string place = Printable(path) + ": ";
    if (message.starts_with(place)) message.erase(0, place.size());
    const std::size_t end = message.rfind("; ");
    const bool has_cure = end != std::string::npos;
    AddProblem(path, message.substr(0, end), has_cure ? message.substr(end + 2) : "");
  }
};

bool MayBelongToCatalog(const fs::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".args") return true;
  if (extension != ".yaml" && extension != ".yml" && extension != ".json") return false;
  std::error_code ignored;
  // Beside a config.json lie a tokenizer's files and the like.
  const bool beside = extension == ".json" && path.filename() != "config.json" &&
                      fs::exists(path.parent_path() / "config.json", ignored);
  return !beside && !path.string().ends_with("hf_quant_config.json");
}

// Files of a folder and those below it that may belong to a catalog, in the order of their names.
// Folders that can't be read are problems.
std::vector<std::string> FilesBelow(const std::string& top, Findings& findings) {
  std::vector<std::string> files;
  std::vector<fs::path> folders = {top};
  while (!folders.empty()) {
    const fs::path folder = std::move(folders.back());
    folders.pop_back();
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
      std::error_code ignored;
      if (at->is_directory(ignored) && !at->is_symlink(ignored)) folders.push_back(at->path());
      if (!MayBelongToCatalog(at->path())) continue;
      if (at->is_regular_file(ignored)) files.push_back(at->path().string());
      if (files.size() > kMostFiles) {
        findings.AddProblem(top, "holds more than 100000 files", "name a smaller folder");
        return {};
      }
    }
    if (error) {
      findings.AddProblem(
          folder.string(), "can't be read: " + error.message(), "check its permissions");
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

Findings LintNames(const std::vector<std::string>& names, const std::string& output) {
  Findings findings;
  for (const std::string& name : names) {
    std::error_code error;
    if (!fs::is_directory(name, error)) {
      RefuseInputs(output, {name});
      findings.AddFile(name);
      continue;
    }
    const std::size_t problems = findings.problems.size();
    const std::vector<std::string> files = FilesBelow(name, findings);
    RefuseInputs(output, files);
    for (const std::string& file : files) findings.AddFile(file);
    if (files.empty() && findings.problems.size() == problems) {
      findings.AddProblem(
          name, "no catalog file in this folder", "name files or a folder that has some");
    }
  }
  return findings;
}

Findings LintBuiltIn() {
  Findings findings;
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    std::string name = fs::path(file.path).stem().string();
    std::replace(name.begin(), name.end(), '_', '-');
    CatalogFile built_in;
    built_in.name = std::move(name);
    built_in.text = file.text;
    built_in.place = file.path;
    built_in.built_in = true;
    findings.Add(built_in);
  }
  return findings;
}

std::string CountOf(std::int64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string Text(const Findings& findings, bool quiet) {
  std::string text;
  for (const Problem& problem : findings.problems) {
    text += Printable(Format(problem)) + "\n";
  }
  if (quiet) return text;
  const auto problems = static_cast<std::int64_t>(findings.problems.size());
  return text + CountOf(findings.files, "file") + ", " +
         (problems == 0 ? "no problem" : CountOf(problems, "problem")) + "\n";
}

Json Document(const Findings& findings) {
  Json json = DocumentHeader("lint");
  json["files"] = findings.files;
  json["problems"] = Json::array();
  for (const Problem& problem : findings.problems) {
    json["problems"].push_back({{"file", problem.where.file},
                                {"line", problem.where.line},
                                {"column", problem.where.column},
                                {"key", problem.key_path},
                                {"text", problem.text},
                                {"cure", problem.cure}});
  }
  return json;
}

std::string Csv(const Findings& findings) {
  CsvWriter csv({"file", "line", "column", "key", "text", "cure"});
  for (const Problem& problem : findings.problems) {
    csv.Add(problem.where.file);
    csv.Add(std::int64_t{problem.where.line}).Add(std::int64_t{problem.where.column});
    csv.Add(problem.key_path).Add(problem.text).Add(problem.cure);
    csv.EndRow();
  }
  return csv.text();
}

}  // namespace

int RunLint(const Verb& /*verb*/, const Arguments& arguments) {
  const OutputFormat format = FormatOf(arguments);
  const Findings findings =
      arguments.names.empty() ? LintBuiltIn() : LintNames(arguments.names, arguments.Get("output"));
  WriteOutput(arguments.Get("output"),
              format == OutputFormat::kJson  ? FormatJson(Document(findings))
              : format == OutputFormat::kCsv ? Csv(findings)
                                             : Text(findings, arguments.Has("quiet")));
  return findings.problems.empty() ? kSuccess : kBadInput;
}

}  // namespace roofcast::cli
