# SPDX-License-Identifier: Apache-2.0
"""Every public name is documented, with units, and the examples of docstrings are true."""

import doctest
import inspect
import re
from collections.abc import Iterator

import pytest

import roofcast as rc
from roofcast import _core

pytestmark = pytest.mark.wheel

SUFFIXES = {  # end of an attribute's name -> the unit that its documentation names
    "_bytes_per_s": "B/s",
    "_flops_per_s": "FLOP/s",
    "_usd_per_s": "USD/s",
    "_bytes": "B",
    "_flops": "FLOP",
    "_hz": "Hz",
    "_s": "s",
    "_w": "W",
}


def public_objects() -> Iterator[tuple[str, object]]:
    """Names of the package and of its classes' members, with what they stand for."""
    for name in rc.__all__:
        value = getattr(rc, name)
        if not isinstance(value, str):
            yield name, value
    for name, cls in vars(_core).items():
        if inspect.isclass(cls) and not issubclass(cls, Exception):
            yield name, cls
            for attribute, member in vars(cls).items():
                if not attribute.startswith("_"):
                    yield f"{name}.{attribute}", getattr(cls, attribute, member)


OBJECTS = dict(public_objects())
ROUTINES = {name: one for name, one in OBJECTS.items() if inspect.isroutine(one)}
PROPERTIES = {name: one for name, one in OBJECTS.items() if isinstance(one, property)}


def text_of(value: object) -> str:
    """The docstring without the signature that pybind11 puts first."""
    text = inspect.getdoc(value) or ""
    return re.sub(r"\A\w+\(.*\) -> .*\n*", "", text).strip()


@pytest.mark.parametrize("name", OBJECTS)
def test_name_is_documented(name: str) -> None:
    text = text_of(OBJECTS[name])
    assert text, f"{name} has no docstring"
    assert len(text.splitlines()[0]) <= 100


@pytest.mark.parametrize("name", PROPERTIES)
def test_attribute_says_its_unit(name: str) -> None:
    text = text_of(PROPERTIES[name])
    for suffix, unit in SUFFIXES.items():
        if name.endswith(suffix) and not name.endswith(("interval_s", "tokens_per_s")):
            assert f"[{unit}]" in text
            return
    cls, attribute = name.split(".")
    if vars(_core)[cls].__annotations__[attribute] in ("float", "float | None"):
        assert name in WITHOUT_UNIT or re.search(r"\[.+\]$", text)


WITHOUT_UNIT = {"TierSpec.links_per_device"}  # the field list's own text: a plain ratio


@pytest.mark.parametrize("name", ROUTINES)
def test_function_documents_its_parameters(name: str) -> None:
    routine = ROUTINES[name]
    signature = (routine.__doc__ or "").split("\n")[0]
    parameters = re.findall(r"(\w+): (.+?)(?= = |, (?=\w+:|\*)|\) ->)", signature)
    text = text_of(routine)
    for parameter, annotation in parameters:
        if parameter == "self":
            continue
        entry = re.search(rf"^(?:\w+, )*{parameter}(?:, \w+)* : (.+)$", text, re.M)
        assert entry, f"{name}: {parameter} is not described"
        if annotation.startswith(("int", "float")):
            assert re.search(r"\[[\w/]+\]", entry[1]), f"{name}: {parameter} has no unit"
    if len([one for one, _ in parameters if one != "self"]) > 0:
        assert "Returns\n-------" in text
        assert "Raises\n------" in text


def test_constructor_documents_its_parameters() -> None:
    signature = (rc.Plan.__init__.__doc__ or "").split("\n")[0]
    for parameter in re.findall(r"(\w+): ", signature)[1:]:
        assert re.search(rf"^{parameter} : (int \[\w+\]|str|bool), default", rc.Plan.__doc__, re.M)


EXAMPLES = {
    name: text
    for name, text in [("roofcast", rc.__doc__ or "")]
    + [(name, inspect.getdoc(one) or "") for name, one in OBJECTS.items()]
    if ">>>" in text
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_true(name: str) -> None:
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {}, name, None, 0)
    output: list[str] = []
    result = doctest.DocTestRunner().run(test, out=output.append)
    assert result.failed == 0, "".join(output)


def test_every_function_has_an_example() -> None:
    assert {name for name in ROUTINES if "." not in name} <= set(EXAMPLES)
