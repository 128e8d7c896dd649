# SPDX-License-Identifier: Apache-2.0
"""A new model family is one small file and its entry in the list: nothing else is edited, and its models are read.

A copy of models/llm gets the file and the entry. What includes the list is compiled from the copy, the rest comes from
the build that this Python runs on.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import roofcast as rc
from repository import ROOT

FAMILY = """// SPDX-License-Identifier: Apache-2.0
#include "models/llm/families/blocks.h"
#include "models/llm/families/families.h"

namespace roofcast {

void ReadTinytalk(ConfigReader& text, ConfigReader& /*top*/, Llm& llm) {
  llm.hidden = text.Size("width");
  llm.vocabulary = text.Size("words");
  const std::int64_t layers = ReadLayerCount(text, {"floors"});
  const std::int64_t heads = text.Size("heads");
  Layer layer;
  layer.attention = EvenAttention(text, llm, heads, 1, {.heads = "heads"});
  layer.ffn = PlainFfn(text.Size("ffn_width"), true);
  AppendEqualLayers(text, llm, layers, layer);
}

}  // namespace roofcast
"""
CONFIG = '{"model_type": "tinytalk", "width": 64, "words": 100, "floors": 3, "heads": 4, "ffn_width": 200}'
PROGRAM = """
#include <cstdio>

#include "models/llm/config.h"
#include "models/llm/parameters.h"

int main() {
  const roofcast::Llm llm = roofcast::ParseLlm(CONFIG, "tinytalk", "config.json");
  std::printf("%lld\\n", static_cast<long long>(roofcast::CountParameters(llm).total));
}
"""


def build_folder() -> Path:
    """Where this Python's extension was built."""
    for folder in Path(rc._core.__file__).absolute().parents:
        if (folder / "compile_commands.json").exists() and (folder / "build.ninja").exists():
            return folder
    pytest.skip("this Python doesn't run on a build folder")


def compile_command(build: Path, source: Path) -> str:
    commands = json.loads((build / "compile_commands.json").read_text())
    for entry in commands:
        if Path(entry["file"]) == source:
            return str(entry["command"])
    pytest.skip(f"{source.name} isn't compiled in {build}")


def run(command: str, folder: Path) -> str:
    done = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, command + "\n" + done.stdout + done.stderr
    return done.stdout


def test_a_new_family_is_one_file_and_its_entry(tmp_path: Path) -> None:
    build = build_folder()
    command = compile_command(build, ROOT / "models/llm/config.cpp")
    shutil.copytree(ROOT / "models/llm", tmp_path / "models/llm", ignore=shutil.ignore_patterns("zoo"))
    families = tmp_path / "models/llm/families"
    (families / "tinytalk.cpp").write_text(FAMILY)
    listed = (families / "families.h").read_text()
    entry = '    Family{"tinytalk", ReadTinytalk},\n'
    listed = listed.replace('    Family{"vit"', entry + '    Family{"vit"')
    listed = listed.replace("ReadFamily ReadVit;", "ReadFamily ReadTinytalk;\nReadFamily ReadVit;")
    (families / "families.h").write_text(listed)
    (tmp_path / "main.cpp").write_text(f"#define CONFIG R\"({CONFIG})\"\n{PROGRAM}")

    includers = [path for path in tmp_path.rglob("*.cpp") if "kFamilies" in path.read_text()]
    assert sorted(path.name for path in includers) == ["config.cpp", "language_model.cpp"]
    objects = []
    for source in (*includers, families / "tinytalk.cpp", tmp_path / "main.cpp"):
        object_file = tmp_path / (source.stem + ".o")
        # The copy's headers come before those of the project.
        mine = re.sub(r" -o \S+", f" -I{tmp_path} -o {object_file}", command, count=1)
        mine = re.sub(r" -c \S+$", f" -c {source}", mine.replace(f"-I{ROOT} ", f"-I{tmp_path} -I{ROOT} "))
        run(mine, build)
        objects.append(str(object_file))

    link = run("ninja -t commands bin/roofcast", build).splitlines()[-1]
    link = re.sub(r"\S+\.cpp\.o(?= )", "", link)
    link = re.sub(r" -o \S+", f" {' '.join(objects)} -o {tmp_path / 'program'}", link, count=1)
    run(link, build)

    # Embeddings and head, then each layer: q and o, one KV head, FFN with biases, two norms; last norm.
    layer = 2 * 64 * 64 + 2 * 16 * 64 + 2 * 64 * 200 + 200 + 64 + 2 * 64
    assert int(run(str(tmp_path / "program"), tmp_path)) == 2 * 64 * 100 + 3 * layer + 64
