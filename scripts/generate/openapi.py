"""Write the OpenAPI document, from which the playground's types are generated, and the answer that it has as an example.

python -m scripts.generate.openapi FILE            write them
python -m scripts.generate.openapi --check FILE    exit with status 1 when they are out of date
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import orjson

from gradflow.backend.arguments import MAX_BYTES
from gradflow.backend.http.app import create_app
from gradflow.backend.http.documentation import EXAMPLE_TRACE
from gradflow.backend.http.schemas import EXAMPLE
from gradflow.engine.run import run


def main() -> None:
    """As above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    for file, made in ((EXAMPLE_TRACE, _example), (arguments.file, _document)):
        text = made()
        if not arguments.check:
            file.write_text(text, encoding="utf-8")
        elif not file.exists() or file.read_text(encoding="utf-8") != text:
            sys.exit(f"{file} is out of date: make generate")


def _example() -> str:
    """The whole trace of the request that the document shows, as the service answers it."""
    return orjson.dumps(run(**EXAMPLE, max_bytes=MAX_BYTES), option=orjson.OPT_INDENT_2).decode() + "\n"


def _document() -> str:
    document = create_app().openapi()
    document["info"]["version"] = "1"  # of the API, not of the installed package
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    main()
