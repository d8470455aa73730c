"""Write the OpenAPI document, from which the playground's types are generated.

python -m scripts.generate.openapi FILE            write it
python -m scripts.generate.openapi --check FILE    exit with status 1 when FILE is out of date
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from gradflow.backend.http.app import create_app


def main() -> None:
    """As above."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    document = create_app().openapi()
    document["info"]["version"] = "1"  # of the API, not of the installed package
    text = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    if not arguments.check:
        arguments.file.write_text(text, encoding="utf-8")
    elif not arguments.file.exists() or arguments.file.read_text(encoding="utf-8") != text:
        sys.exit(f"{arguments.file} is out of date: make generate")


if __name__ == "__main__":
    main()
