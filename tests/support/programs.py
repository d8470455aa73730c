"""Every program that the tests have, by name: recorded ones, examples of errors and of fixes, ways out of the sandbox."""

from __future__ import annotations

import encodings
import json
import pkgutil
import re
from functools import cache
from hashlib import sha256
from typing import Final

from tests.golden.cases import ERRORS, PRELUDE, ROOT, cases
from tests.support.traps import trap_examples


def recorded_programs() -> dict[str, str]:
    """The programs of which PyTorch's outcome is recorded, by the id of their case."""
    return {case.id: case.source for case in cases() + cases(".prompt")}


@cache
def recorded_errors() -> dict[str, str]:
    """Failing statement -> PyTorch's message."""
    messages: dict[str, str] = json.loads(ERRORS.read_text(encoding="utf-8"))
    return messages


def failing_programs() -> dict[str, str]:
    """The programs of the recorded errors."""
    return {f"errors/{statement}": PRELUDE + statement for statement in recorded_errors()}


def mended_programs() -> dict[str, str]:
    """The examples of the fixes, before and after."""
    blocks = [block.split("\n=====\n") for block in _blocks("fixes.txt", "\n-----\n")]
    before = {f"fixes/{place}": block[0].split("\n", 1)[1] for place, block in enumerate(blocks)}
    after = {f"fixes/{place}/mended": block[1].partition("\n!!!!! ")[0] for place, block in enumerate(blocks)}
    return before | after


def trap_programs() -> dict[str, str]:
    """The examples of the traps, before and after."""
    examples = list(trap_examples())
    before = {f"traps/{place}": example.source for place, example in enumerate(examples)}
    after = {f"traps/{place}/mended": example.fixed for place, example in enumerate(examples) if example.fixed}
    return before | after


def escaping_programs() -> dict[str, str]:
    """What the sandbox refuses."""
    return {f"escapes/{place}": text for place, text in enumerate(_blocks("escapes.txt", "\n---\n"))}


def python_programs() -> dict[str, str]:
    """What meets the parts of Python that are loaded at need; no torch in them, so Python tells what they print."""
    names = sorted(module.name for module in pkgutil.iter_modules(encodings.__path__))
    return {**_files("python"), "python/codecs": CODECS.format(names=[*names, "no_such", "../up", "a.b"])}


def torch_programs() -> dict[str, str]:
    """What meets the parts of NumPy that are loaded at need; they raise where something is wrong."""
    return _files("torch")


CODECS: Final = """
for name in {names}:
    for text in ("grad", "é", "梯度", "\\ud800"):
        for errors in ("strict", "replace"):
            try:
                print(name, errors, text.encode(name, errors), ascii(text.encode(name, errors).decode(name, errors)))
            except (LookupError, ValueError) as error:
                print(name, type(error).__name__, error)
"""


def _files(folder: str) -> dict[str, str]:
    files = sorted((ROOT / "tests" / "backend" / "jail" / folder).glob("*.py"))
    return {f"{folder}/{file.stem}": file.read_text(encoding="utf-8") for file in files}


def _blocks(file: str, separator: str) -> list[str]:
    (path,) = (ROOT / "tests" / "engine").rglob(file)
    return path.read_text(encoding="utf-8").rstrip("\n").split(separator)


LIMITS: Final = {
    "time_limit": 120.0,
    "memory_limit": 4 << 30,
    "operation_limit": 200_000,
    "max_response_bytes": 1 << 30,
}
"""What a slow machine may take for the largest of them."""


def digest(answer: bytes) -> str:
    """What tells an answer from others. Addresses of objects do not count: they are others in each process."""
    return sha256(re.sub(rb"0x[0-9a-f]{8,}", b"0x", answer)).hexdigest()
