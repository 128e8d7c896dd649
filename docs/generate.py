# SPDX-License-Identifier: Apache-2.0
"""Writes docs/spec_reference.md and docs/formulas.md.

    .venv/bin/python docs/generate.py [--check]

The first comes from the field lists of the structs that YAML files are read into, the second from
the comments of the headers that hold the formulas. With --check nothing is written and a
difference is a failure.
"""

import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTE = "<!-- Written by docs/generate.py; not to be edited. -->"

FILES = {  # kind of spec -> what its files are and where they lie
    "accelerator": ("Accelerators", "hardware/catalog/accelerators"),
    "link": ("Links", "hardware/catalog/links"),
    "cluster": ("Clusters and nodes", "hardware/catalog/clusters"),
    "fit": ("Fitted coefficients", "hardware/fits"),
    "model": ("Models described by hand", "models"),
    "engine": ("Engines", "models/engines"),
}

SPEC_INTRODUCTION = """\
# Keys of the YAML files

A quantity is written with its unit (`3.35 TB/s`). GB is 10^9 bytes and GiB 2^30; Gbit/s is spelled
out. Every figure (a quantity, a number or a whole number that says how something is) needs a
source: the nearest `from:` around it names a key of `hardware/references.yaml`, or of the file's
own `references:`. A figure with a source of its own is written `{value: 3.35 TB/s, from: KEY}`;
`kind:` (measured, fitted, datasheet, paper, derived or assumed) and `note:` stand beside `from:`;
derived and assumed figures need a note. An entry of `references:` has a `title` and a `kind`, and
may have a `publisher`, `year`, `url` and `note`.

Your own files are found by name in the sub-folders `accelerators/`, `links/`, `clusters/`, `models/`,
`fits/` and `engines/` of `./roofcast/`, of the folders in `$ROOFCAST_PATH` and of `~/.config/roofcast/`, in this
order and before the built-in ones.
"""

FORMULA_INTRODUCTION = """\
# Formulas

Every operator, collective, ledger and schedule as its header states it: equation, source, range.
T, B, P, e and p are time, bandwidth, peak, efficiency and overlap exponent; t0 is the intercept.
`roofcast show` prints the coefficients, [spec_reference.md](spec_reference.md) explains them."""

# A function's declaration: its name and the type of its first parameter.
FUNCTION = re.compile(r"(?:template <[^>]*>\s*)?[\w:<>, ]+?[ >](\w+)\((?:const (\w+)&)?")

HEADERS = (
    ("Coefficients and overlap", "models/coefficients.h"),
    ("Smooth maximum", "core/scalar.h"),
    ("Operators", "models/kernels"),
    ("Collectives", "models/collectives"),
    ("Memory", "models/memory"),
    ("KV cache of serving engines", "models/steps/admission.h"),
    ("Pipeline schedules", "models/parallelism/schedule.h"),
    ("FLOPs", "models/steps/flops.h"),
)


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def spec_reference() -> str:
    from roofcast import _core

    lines = [NOTE, SPEC_INTRODUCTION]
    for kind, fields in _core._spec_fields().items():
        title, folder = FILES[kind]
        lines += ["", f"## {title}: `{folder}/*.yaml`", ""]
        lines += ["| key | type | unit | required | meaning |", "|---|---|---|---|---|"]
        for path, type_name, unit, required, meaning in fields:
            row = [f"`{path}`", type_name, unit, "yes" if required else "", meaning]
            lines.append("| " + " | ".join(cell(text) for text in row) + " |")
    lines += ["", "## Units", "", "| base unit | also understood |", "|---|---|"]
    lines += [f"| {base} | {', '.join(units[1:])} |" for base, units in _core._units().items()]
    return "\n".join(lines) + "\n"


def declarations(header: Path) -> Iterator[tuple[str, list[str]]]:
    """Comments of a header with the declaration below each: ("CostOf(const Gemm& op)", lines)."""
    comment: list[str] = []
    lines = header.read_text().splitlines()
    for number, line in enumerate(lines):
        if line.startswith("//"):
            comment.append(line[2:].removeprefix(" "))
        elif comment and (declaration := declared(lines[number:])):
            yield declaration, comment
            comment = []
        elif not line.startswith("template"):
            comment = []


def declared(lines: list[str]) -> str:
    """The name of what the lines declare: "Gemm", "CostOf(Gemm)" or "AttentionPairs"."""
    text = " ".join(lines[:4])
    if struct := re.match(r"(?:struct|enum class) (\w+)", text):
        return struct[1]
    if function := FUNCTION.match(text):
        return f"CostOf({function[2]})" if function[1] == "CostOf" else function[1]
    return ""


def prose(comment: list[str]) -> Iterator[str]:
    """A comment as Markdown: indented lines are equations, `Source:` and `Range:` start a line."""
    code = False
    for line in comment:
        equation = line.startswith(("  ", "t = "))
        if equation != code:
            yield from (["```", ""] if code else ["", "```"])
            code = equation
        if re.match(r"(Source|Range|with|Throws)\b", line) and not equation:
            yield ""
        if equation:
            yield line.removeprefix("  ")
        else:
            yield re.sub(r"\[([a-z][\w.-]{3,})\](?!\()", r"[[\1]](#\1)", line)
    if code:
        yield "```"


def formulas() -> str:
    lines = [NOTE, FORMULA_INTRODUCTION]
    for title, place in HEADERS:
        path = ROOT / place
        headers = [path] if path.is_file() else sorted(path.glob("*.h"))
        lines += ["", f"## {title}"]
        for header in headers:
            if header.name == "op_list.h":
                continue
            for name, comment in declarations(header):
                lines += ["", f"### {name}", "", f"`{header.relative_to(ROOT)}`", ""]
                lines += prose(comment)
    lines += ["", "## References", ""]
    cited = sorted(set(re.findall(r"\(#([\w.-]+)\)", "\n".join(lines))))
    lines += [f'- <a id="{key}"></a>{key}: {reference(key)}' for key in cited]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def reference(key: str) -> str:
    text = (ROOT / "hardware/references.yaml").read_text()
    entry = re.search(rf"^{re.escape(key)}:\n((?:  .*\n)+)", text, re.M)
    if entry is None:
        raise SystemExit(f"hardware/references.yaml: {key}: is cited but not there; add it")
    fields = dict(re.findall(r"^  (\w+): (.*)$", entry[1], re.M))
    names = [name for name in ("title", "publisher", "year", "url") if name in fields]
    return ", ".join(fields[name].strip('"') for name in names)


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    status = 0
    for name, text in (("spec_reference.md", spec_reference()), ("formulas.md", formulas())):
        file = ROOT / "docs" / name
        if arguments:
            old = file.read_text() if file.exists() else ""
            for line in unified_diff(old.splitlines(), text.splitlines(), name, "now", lineterm=""):
                print(line)
            status |= old != text
        else:
            file.write_text(text)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
