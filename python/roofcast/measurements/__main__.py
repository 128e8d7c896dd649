# SPDX-License-Identifier: Apache-2.0
"""`python -m roofcast.measurements IN... --output DIR`: raw measurements to common tables."""

import argparse
import os
import sys
from collections.abc import Sequence

from roofcast._core import Error
from roofcast.measurements.reader import FORMS, read


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, 2 for bad input, 1 for any other failure."""
    parser = argparse.ArgumentParser(
        prog="python -m roofcast.measurements",
        description="Reads raw measurements and writes them as the tables that `roofcast "
        f"calibrate` and `validate` take. It reads {FORMS}. Rows that can't be used are counted "
        "with the reason and written to dropped.csv.",
        allow_abbrev=False,
    )
    parser.add_argument("paths", nargs="+", metavar="IN", help="a file, told by its content")
    parser.add_argument("--output", metavar="DIR", help="where to write; without it only a report")
    parser.add_argument("--gpu", metavar="NAME", help="the GPU, where files don't name it")
    parser.add_argument("--framework", metavar="NAME", help="the framework, likewise")
    given = parser.parse_args(arguments)
    try:
        found = read(given.paths, gpu=given.gpu, framework=given.framework)
        written = found.save(given.output) if given.output is not None else []
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        name = error.filename or given.output
        print(f"error: {name}: can't be written: {error.strerror}; check it", file=sys.stderr)
        return 1
    for path, form in found.forms.items():
        print(f"{path}: {form}")
    print(found)
    for file in written:
        print(f"wrote {file}")
    if not found.tables:
        print("error: no row can be used; the reasons stand above", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
