"""Record the run that the page shows before the server has answered: the first example, as the API would send it.

`python -m scripts.generate.first_run DIRECTORY` writes it, with `--check` compares it.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from pathlib import Path
from typing import Any

import orjson

from gradflow.engine.examples import load_examples
from gradflow.engine.run import run


def recorded() -> dict[str, Any]:
    """Files by name. The page takes the line break off the end of an example, so its run is recorded without."""
    first = load_examples()[0]
    example = dataclasses.replace(first, source=first.source.rstrip())
    return {"first_example.json": example, "matrix_product.json": run(example.source, jacobian=True)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    stale = False
    for name, content in recorded().items():
        path = arguments.directory / name
        text = orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
        if not arguments.check:
            path.write_bytes(text)
        elif path.read_bytes() != text:
            stale = True
            print(f"{path} is not what the engine gives; run `make generate`", file=sys.stderr)
    return int(stale)


if __name__ == "__main__":
    sys.exit(main())
