"""The command of scripts that write a list of records into one JSON file, or tell whether it is up to date."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson


def write(records: Iterable[Any]) -> None:
    """``[--check] FILE`` from the command line; exit status 1 where the file is not up to date."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("file", type=Path)
    options = parser.parse_args()
    text = b"[\n" + b",\n".join(orjson.dumps(each) for each in records) + b"\n]\n"
    if not options.check:
        options.file.write_bytes(text)
    elif options.file.read_bytes() != text:
        sys.exit(f"{options.file} is not up to date: make generate")
