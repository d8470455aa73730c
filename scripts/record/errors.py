"""Record PyTorch 2.13's messages for the failing statements of tests/golden/errors.json.

    python -m scripts.record.errors [FILE]

Every statement of the file (and of FILE, a JSON list of more) is run after PRELUDE; recorded is the last line of the
traceback. Needs PyTorch.
"""

from __future__ import annotations

import json
import sys
import warnings
from pathlib import Path

import torch

from scripts.record.golden import check_version
from tests.golden.cases import ERRORS, PRELUDE


def message(statement: str) -> str:
    """``Type: message`` of the exception that a statement ends with."""
    names = {"torch": torch, "__name__": "__main__"}
    try:
        exec(compile(PRELUDE + statement, "<statement>", "exec", dont_inherit=True), names)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    raise SystemExit(f"no error: {statement}")


def main(added: list[str]) -> None:
    check_version()
    warnings.simplefilter("ignore")
    known = json.loads(ERRORS.read_text()) if ERRORS.exists() else {}
    for name in added:
        known |= dict.fromkeys(json.loads(Path(name).read_text()))
    recorded = {statement: message(statement) for statement in known}
    ERRORS.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
