# SPDX-License-Identifier: Apache-2.0
"""Writes python/roofcast/_core.pyi from the extension: names, signatures, types, no docstrings.

    .ci/stubs [--check]

Signatures are those that pybind11 puts first in each docstring; types of attributes stand in the
__annotations__ of their class. With --check nothing is written and a difference is a failure.
"""

import inspect
import re
import sys
from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from types import ModuleType

STUB = Path(__file__).resolve().parents[1] / "roofcast" / "_core.pyi"
WIDTH = 100

HEADER = '''\
# SPDX-License-Identifier: Apache-2.0
# Written by .ci/stubs from the extension; not to be edited.
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas  # type: ignore
from typing_extensions import Self
'''

# What pybind11 2 and 3 write differently, in one spelling.
SPELLINGS = (
    (r"\broofcast\._core\.", ""),
    (r"\btyping\.(Supports)(Int|Float)\b", lambda match: match[2].lower()),
    (r"\btyping\.", ""),
    (r"\bOptional\[(\w+)\]", r"\1 | None"),
    (r"\*\*kwargs\b(?!:)", "**kwargs: object"),
)


def spelled(text: str) -> str:
    for pattern, replacement in SPELLINGS:
        text = re.sub(pattern, replacement, text)
    return text


def signature_of(routine: object, name: str) -> str:
    """The signature "(...) -> ..." of a function of pybind11; raises ValueError if it has none."""
    line = (getattr(routine, "__doc__", None) or "").split("\n", 1)[0]
    if not line.startswith(f"{name}("):
        raise ValueError(f"{name}: its docstring does not begin with a signature: {line!r}")
    signature = spelled(line[len(name) :])
    if re.search(r"\w::\w|handle\b", signature):
        raise ValueError(f"{name}: a C++ type in its signature: {signature}")
    # Within the class the type of self says nothing.
    return re.sub(r"^\(self: \w+", "(self", signature)


def function(routine: object, name: str, indent: str = "", decorator: str = "") -> Iterator[str]:
    signature = signature_of(routine, name)
    if decorator:
        yield f"{indent}{decorator}"
    line = f"{indent}def {name}{signature}: ..."
    if len(line) <= WIDTH:
        yield line
        return
    inside, returns = signature[1:].rsplit(") -> ", 1)
    yield f"{indent}def {name}("
    for argument in re.split(r", (?![^\[]*\])", inside):
        yield f"{indent}    {argument},"
    yield f"{indent}) -> {returns}: ..."


def members(cls: type) -> Iterator[str]:
    annotations = cls.__dict__.get("__annotations__", {})
    if issubclass(cls, BaseException):
        for name, annotation in annotations.items():
            yield f"    {name}: {annotation}"
        return
    for name, member in sorted(cls.__dict__.items()):
        if name.startswith("_pybind11"):
            continue
        if isinstance(member, property):
            yield "    @property"
            yield f"    def {name}(self) -> {annotations[name]}: ..."
        elif isinstance(member, staticmethod):
            yield from function(member.__func__, name, "    ", "@staticmethod")
        elif name == "__init__" and "_object" not in repr(member):
            if (member.__doc__ or "").startswith("__init__("):
                yield from function(member, name, "    ")
        elif name in ("__eq__", "__hash__", "__iter__", "__getitem__", "__copy__", "__deepcopy__"):
            if member is None:  # __hash__ of what has only __eq__
                continue
            yield from function(member, name, "    ")
        elif not name.startswith("__") and inspect.isroutine(member):
            yield from function(member, name, "    ")


def stub_text(module: ModuleType) -> str:
    public = [name for name in vars(module) if not name.startswith("_")]
    classes = [getattr(module, name) for name in public if inspect.isclass(getattr(module, name))]
    lines = [HEADER, "__version__: str"]
    for name in sorted(public):
        if isinstance(getattr(module, name), str):
            lines.append(f"{name}: str")
    # A class stands after its bases.
    for cls in sorted(classes, key=lambda one: (len(one.__mro__), one.__name__)):
        bases = [one.__name__ for one in cls.__bases__ if one.__name__ != "pybind11_object"]
        heading = f"class {cls.__name__}" + (f"({', '.join(bases)})" if bases else "")
        body = list(members(cls))
        lines += ["", f"{heading}:" if body else f"{heading}: ...", *body]
    lines.append("")
    for name in sorted(public):
        if inspect.isroutine(getattr(module, name)):
            lines += function(getattr(module, name), name)
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    from roofcast import _core

    text = stub_text(_core)
    if arguments == ["--check"]:
        old = STUB.read_text() if STUB.exists() else ""
        difference = unified_diff(old.splitlines(), text.splitlines(), STUB.name, "extension")
        print(*difference, sep="\n", end="\n" if old != text else "")
        return int(old != text)
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    STUB.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
