// SPDX-License-Identifier: Apache-2.0
// Where names are looked for.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/catalog.h"
#include "hardware/catalog.h"
#include "tests/core/support.h"
#include "tests/hardware/specs.h"

namespace roofcast {
namespace {

using testing::DeviceYaml;
using testing::MessageOf;
using testing::Sandbox;

std::string Place(const std::string& name) {
  return LoadDevice(name).file;
}

TEST_CASE("./roofcast hides $ROOFCAST_PATH, that the user's folder, and that what is built in") {
  Sandbox sandbox;
  const std::string file = "accelerators/h100_sxm.yaml";
  const std::string text = DeviceYaml("h100-sxm");
  CHECK(Place("h100-sxm") == "hardware/catalog/accelerators/h100_sxm.yaml");
  sandbox.Write("xdg/roofcast/" + file, text);
  CHECK(Place("h100-sxm") == (sandbox.folder() / "xdg/roofcast" / file).string());
  sandbox.Write("second/" + file, text);
  sandbox.Set("ROOFCAST_PATH", "first::second");
  CHECK(Place("h100-sxm") == "second/" + file);
  sandbox.Write("first/" + file, text);
  CHECK(Place("h100-sxm") == "first/" + file);
  sandbox.Write("roofcast/" + file, text);
  CHECK(Place("h100-sxm") == "roofcast/" + file);
  CHECK(LoadCluster("h100-sxm:8").device.title == "A device");
}

TEST_CASE("Without XDG_CONFIG_HOME the user's folder is ~/.config/roofcast") {
  Sandbox sandbox;
  sandbox.Unset("XDG_CONFIG_HOME");
  sandbox.Write("home/.config/roofcast/accelerators/mine.yaml", DeviceYaml("mine"));
  CHECK(LoadDevice("mine").title == "A device");
  sandbox.Unset("HOME");
  CHECK(MessageOf([] { LoadDevice("mine"); }).starts_with("device: no device 'mine'"));
}

TEST_CASE("A user's alias hides a built-in name, and links and clusters are found as devices are") {
  const Sandbox sandbox;
  sandbox.Write("roofcast/accelerators/mine.yaml", "aliases: [H100 SXM]\n" + DeviceYaml("mine"));
  CHECK(LoadDevice("h100-sxm").name == "mine");
  sandbox.Write("roofcast/links/my_link.yaml", testing::LinkYaml("my-link"));
  sandbox.Write("roofcast/clusters/my_cluster.yaml",
                testing::ClusterYaml("my-cluster", "mine", "my-link"));
  CHECK(LoadCluster("my-cluster").device.name == "mine");
  CHECK(LoadLink("My Link").title == "A link");
}

TEST_CASE("A broken file elsewhere hides no good one") {
  const Sandbox sandbox;
  sandbox.Write("roofcast/accelerators/a.yaml", "h100-sxm: [");
  sandbox.Write("roofcast/accelerators/b.yaml", "just text about h100-sxm");
  sandbox.Write("roofcast/accelerators/notes.txt", "name: h100-sxm");
  CHECK(LoadDevice("h100-sxm").title != "A device");
  CHECK(ListDevices().front().name == "a");  // by its file, since it has no other
  CHECK(MessageOf([] { LoadDevice("a"); }).starts_with("roofcast/accelerators/a.yaml:1:"));
  CHECK(LintFile(ReadUserFile("roofcast/accelerators/a.yaml")).size() == 1);
}

TEST_CASE("A file that is too large is no reason to take a hidden one") {
  const Sandbox sandbox;
  sandbox.Write("roofcast/accelerators/h100_sxm.yaml", std::string((16U << 20U) + 1, '#'));
  CHECK(MessageOf([] { LoadDevice("h100-sxm"); }) ==
        "roofcast/accelerators/h100_sxm.yaml: larger than 16 MiB; name a spec file");
  CHECK(LoadDevice("h200-sxm").name == "h200-sxm");
  const auto files = ListCatalog(CatalogKind::kAccelerators);
  CHECK(Format(LintFile(files.front()).at(0)) ==
        "roofcast/accelerators/h100_sxm.yaml: larger than 16 MiB; name a spec file");
}

TEST_CASE("A path is read as it stands, and only a file is") {
  const Sandbox sandbox;
  sandbox.Write("some where/\xC3\xA9.yaml", DeviceYaml("x"));
  CHECK(LoadDevice("some where/\xC3\xA9.yaml").name == "x");
  CHECK(LoadDevice((sandbox.folder() / "some where/\xC3\xA9.yaml").string()).name == "x");
  CHECK(MessageOf([] { ReadUserFile("some where"); }) == "some where: not a file; name a file");
  CHECK(MessageOf([] { ReadUserFile("/dev/zero"); }) == "/dev/zero: not a file; name a file");
  CHECK(MessageOf([] { ReadUserFile("none\n"); }) == "none\\x0A: no such file; check the path");
  CHECK(LooksLikePath("a/b"));
  CHECK(LooksLikePath("a.yaml"));
  CHECK(LooksLikePath("a.json"));
  CHECK(!LooksLikePath("llama-3.1-70b"));
}

TEST_CASE("Lists are sorted and say where each name comes from") {
  const Sandbox sandbox;
  sandbox.Write("roofcast/accelerators/zz.yaml", DeviceYaml("zz"));
  const auto devices = ListDevices();
  CHECK(devices.back().name == "zz");
  CHECK(devices.back().place == "roofcast/accelerators/zz.yaml");
  CHECK(std::is_sorted(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
    return a.name < b.name;
  }));
}

}  // namespace
}  // namespace roofcast
