# SPDX-License-Identifier: Apache-2.0
"""Reads files as people have them: compressed, with a byte-order mark, with a preamble, cut off."""

import csv
import gzip
import io
import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pandas

from roofcast._core import ArgumentError, Error, NotFoundError, SpecError

# What is beyond is no profile that a person has at hand, or a bomb.
MOST_BYTES = 4 * 2**30
_CHUNK = 2**24


def place(path: str | os.PathLike[str], line: int = 0) -> str:
    """What messages call a file, or one of its lines."""
    text = os.fspath(path).encode("utf-8", "backslashreplace").decode()
    return f"{text}:{line}" if line else text


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """The content of a file, unpacked when it is gzip."""
    file = Path(path)
    if file.is_dir():
        raise ArgumentError(f"{place(path)}: is a folder; name its files")
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise NotFoundError(f"{place(path)}: no such file; check the path") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise NotFoundError(f"{place(path)}: can't be read ({why}); check the path") from None
    if len(data) > MOST_BYTES:
        raise SpecError(f"{place(path)}: is larger than 4 GiB; profile fewer steps")
    if data[:2] == b"\x1f\x8b":
        data = _unpacked(data, path)
    if not data.strip():
        raise SpecError(f"{place(path)}: is empty; name a file with measurements")
    return data


def _unpacked(data: bytes, path: str | os.PathLike[str]) -> bytes:
    unpacked = bytearray()
    try:
        with gzip.open(io.BytesIO(data)) as stream:
            while len(unpacked) <= MOST_BYTES and (chunk := stream.read(_CHUNK)):
                unpacked += chunk
    except (EOFError, OSError, zlib.error):
        raise SpecError(f"{place(path)}: is cut off or damaged gzip; copy it again") from None
    if len(unpacked) > MOST_BYTES:
        raise SpecError(f"{place(path)}: unpacks to more than 4 GiB; profile fewer steps")
    return bytes(unpacked)


def decoded(data: bytes, path: str | os.PathLike[str]) -> str:
    """The text of a file: UTF-8, or UTF-16 with a byte-order mark, as PowerShell writes it."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SpecError(f"{place(path, line)}: is not UTF-8; save the file as UTF-8") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SpecError(f"{place(path, line)}: has a NUL character; is it a text file?")
    return text


def csv_rows(
    text: str, path: str | os.PathLike[str], line: int = 1
) -> Iterator[tuple[int, list[str]]]:
    """Lines and cells of comma-separated text that begins at `line`; empty lines are left out."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        start = line + reader.line_num
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            where = place(path, start)
            raise SpecError(f"{where}: is no comma-separated row ({error}); check quotes") from None
        if cells and (len(cells) > 1 or cells[0].strip()):
            yield start, [cell.strip() for cell in cells]


def parquet_frame(path: str | os.PathLike[str], data: bytes) -> pandas.DataFrame:
    """The rows of a Parquet file."""
    if data[-4:] != b"PAR1":
        raise SpecError(f"{place(path)}: is a Parquet file that was cut off; copy it again")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise Error(
            f"{place(path)}: is Parquet, for which pyarrow is needed ({error}); install it with "
            "`pip install 'roofcast[parquet]'`, or write the file as CSV"
        ) from None
    try:
        return pyarrow.parquet.read_table(io.BytesIO(data)).to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        what = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise SpecError(f"{place(path)}: is damaged Parquet ({what}); copy it again") from None
