// SPDX-License-Identifier: Apache-2.0
// Any text as a spec of each kind. What is accepted is written and read back the same.
#include "core/fields_equal.h"
#include "core/spec_reader.h"
#include "core/spec_writer.h"
#include "hardware/cluster.h"
#include "hardware/device.h"
#include "hardware/link.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace roofcast;  // NOLINT(google-build-using-namespace)

template <class S>
void ReadAs(const YamlNode& node) {
  S spec;
  const auto& references = BuiltInReferences();
  if (!fuzzing::Accepts([&] { spec = ReadSpec<S>(node, references); })) return;
  const S back = ReadSpec<S>(ParseYaml(WriteSpec(spec, references), "written"), references);
  fuzzing::Require(SameFields(spec, back));
  fuzzing::Require(spec.sources.size() == back.sources.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  YamlNode node;
  const auto text = fuzzing::TextOf(data, size);
  if (!fuzzing::Accepts([&] { node = ParseYaml(text, "fuzz.yaml"); })) return 0;
  fuzzing::Accepts([&] { ReadReferences(node); });
  ReadAs<Device>(node);
  ReadAs<Link>(node);
  ReadAs<ClusterSpec>(node);
  return 0;
}
