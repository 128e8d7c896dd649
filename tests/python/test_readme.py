# SPDX-License-Identifier: Apache-2.0
"""The examples of README.md print what it says.

An example is a fenced block right after a line `<!-- example: NAME -->`:

- ```python with ">>>" is run as a doctest; without, it is a program, and the next block, fenced
  as ```text, is what it prints;
- ```console has commands after "$ " (a line ending in "\\" goes on) and their output below each.

A line "..." in the output stands for any lines.
"""

import contextlib
import doctest
import io
import os
import re
import subprocess
from pathlib import Path

import pytest
from repository import ROOT

BLOCK = re.compile(
    r"<!-- example: ([\w-]+) -->\n+```(python|console)\n(.*?)```\n(?:\s*```text\n(.*?)```\n)?", re.S
)


def examples() -> list[tuple[str, str, str, str | None]]:
    readme = ROOT / "README.md"
    return BLOCK.findall(readme.read_text()) if readme.exists() else []


def same(printed: str, expected: str) -> bool:
    """Line by line, spaces at the ends aside; "..." is any number of lines."""
    lines = [re.escape(line.rstrip()) for line in expected.strip("\n").splitlines()]
    pattern = "\n".join("(?:.*\n)*?.*" if line == re.escape("...") else line for line in lines)
    text = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


def commands(text: str) -> list[tuple[str, str]]:
    """[(command line, output below it)] of a console block."""
    found = []
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        line, _, output = re.sub(r"\\\n\s*", "", part).partition("\n")
        found.append((line, output))
    return found


def run_console(text: str, command: str, folder: Path) -> None:
    path = f"{Path(command).parent}{os.pathsep}{os.environ['PATH']}"
    for line, expected in commands(text):
        run = subprocess.run(
            ["bash", "-c", line],
            env={**os.environ, "PATH": path},
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert same(run.stdout, expected), f"$ {line}\n{run.stdout}"


def run_python(name: str, text: str, expected: str | None) -> None:
    if ">>>" in text:
        output: list[str] = []
        test = doctest.DocTestParser().get_doctest(text, {}, name, "README.md", 0)
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=output.append)
        assert result.failed == 0, "".join(output)
        return
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(text, "README.md", "exec"), {})
    assert same(printed.getvalue(), expected or ""), printed.getvalue()


@pytest.mark.skipif(not examples(), reason="README.md has no examples yet")
def test_examples_are_true(command: str, tmp_path: Path) -> None:
    for name, language, text, expected in examples():
        if language == "console":
            run_console(text, command, tmp_path)
        else:
            run_python(name, text, expected)


def test_wrong_output_is_found(tmp_path: Path) -> None:
    two_commands = "$ echo one \\\n    two\none two\n$ printf 'a\\nb\\nc\\n'\na\n...\nc\n"
    run_console(two_commands, "/", tmp_path)
    with pytest.raises(AssertionError):
        run_console("$ echo one\ntwo\n", "/", tmp_path)
    run_python("good", "print(1)\n", "1\n")
    run_python("good", ">>> 1 + 1\n2\n", None)
    for text, expected in (("print(1)\n", "2\n"), (">>> 1 + 1\n3\n", None)):
        with pytest.raises(AssertionError):
            run_python("bad", text, expected)
