"""Runs programs in processes forked from the warm parent, and tells what they import, open or start.

    python -P -m tests.support.audited < request > report

The request is JSON: ``programs`` by name; whether also the ``samples`` of all operations are to be run; ``forget``,
modules that are taken out of the processes, to see that it is noticed. The report: ``seen``, pairs of a program and what
it did; ``digests`` of the answers and ``errors`` of the samples, by name. No pytest here: it loads modules that a
server has not.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any, Final

from gradflow.backend.arguments import MAX_BYTES
from gradflow.backend.jail import wire, worker
from gradflow.backend.jail.closed_imports import NAMED_BY_PROGRAMS, caller
from gradflow.backend.jail.outcome import Bounds
from gradflow.engine import collector
from gradflow.engine.picture.view import WHOLE
from gradflow.engine.sandbox.program import PROGRAM_FILE
from tests.support.programs import LIMITS, digest
from tests.support.samples import record_sample, samples

PROCESSES = 2
BOUNDS = Bounds(**LIMITS)  # type: ignore[arg-type]  # mixed values
HARMLESS: Final = {
    "array.__new__",
    "builtins.id",
    "code.__new__",
    "compile",
    "exec",
    "function.__new__",
    "object.__delattr__",
    "object.__getattr__",
    "object.__setattr__",
    "sys._getframe",
    "sys._getframemodulename",
    "sys.unraisablehook",
}
"""Events of computing. Every other one is told."""

LOOKING: Final = ("gradflow.engine.sandbox.interpreter.generators", "gradflow.engine.collector")
"""Who looks at all objects: for generators that end with the run, and for what may be collected."""
NO_FILES: Final = ("<unknown>", PROGRAM_FILE)

Action = tuple[str, Any]  # a name, and a function that gives bytes or text


class Audit:
    """What happens while ``program`` runs."""

    def __init__(self) -> None:
        self.program = ""
        self.seen: list[tuple[str, str]] = []
        sys.addaudithook(self._notice)  # for good

    def _notice(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.program and event not in HARMLESS and not _is_harmless(event, arguments):
            told = f"{event} {arguments[0]!r}" if arguments else event
            self.seen.append((self.program, f"{told} by {caller(sys._getframe(1))}"))


def _is_harmless(event: str, arguments: tuple[Any, ...]) -> bool:
    """A program may name a codec that there is not, for which Python looks; and of a text that is no program Python
    asks for the file ``<unknown>``, to show the line."""
    if event in ("gc.get_objects", "gc.get_referents"):
        return caller(sys._getframe(2)).partition(",")[0] in LOOKING
    if event == "import":
        return bool(arguments[0].startswith(NAMED_BY_PROGRAMS))
    return event == "open" and arguments[0] in NO_FILES


def actions(request: dict[str, Any]) -> Iterator[Action]:
    """All there is to run."""
    for name, source in request["programs"].items():
        yield name, partial(_trace, source)
        if name.startswith("examples/"):
            yield f"{name}, drawn with its Jacobians", partial(_drawing, source)
    for name, op, sample in samples() if request["samples"] else ():
        yield name, partial(record_sample, op, sample)


def _trace(source: str) -> bytes:
    arguments = {"source": source, "max_bytes": MAX_BYTES}
    _, payload = worker.answer_to({"product": "trace", "arguments": arguments}, BOUNDS)
    return payload


def _drawing(source: str) -> bytes:
    arguments = {"source": source, "jacobian": True}
    request = {"product": "dot", **WHOLE._asdict(), "most": None, "arguments": arguments}
    kind, payload = worker.answer_to(request, BOUNDS)
    assert kind == wire.ANSWER, payload
    return payload


def run_all(work: Iterable[Action], forget: list[str]) -> dict[str, Any]:
    """The report of one process."""
    for module in forget:
        del sys.modules[module]
        package, _, name = module.rpartition(".")
        if package:
            delattr(sys.modules[package], name)
    collector.stop()  # as the worker does
    audit = Audit()
    digests, errors = {}, {}
    for name, action in work:
        audit.program = name
        answer = action()
        audit.program = ""
        gc.collect()  # here, as hundreds of programs run in one process
        digests[name] = digest(answer)
        if not isinstance(action.args[0], str) and (error := json.loads(answer)["error"]):
            errors[name] = f"{error['type']}: {error['message']}"
    return {"seen": audit.seen, "digests": digests, "errors": errors}


def in_child(work: Iterable[Action], forget: list[str]) -> int:
    """Fork a process for this work; gives the descriptor from which its report can be read."""
    reading, writing = os.pipe()
    if os.fork() == 0:
        try:
            os.close(reading)
            with open(writing, "w", encoding="utf-8") as report:
                json.dump(run_all(work, forget), report)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    return reading


def main() -> None:
    """Read the request, write the report."""
    request = json.load(sys.stdin)
    worker.make(asdict(BOUNDS))
    work = list(actions(request))
    pipes = [in_child(work[first::PROCESSES], request["forget"]) for first in range(PROCESSES)]
    reports = []
    for pipe in pipes:
        with open(pipe, encoding="utf-8") as report:
            reports.append(json.load(report))
    whole = {
        "seen": [pair for report in reports for pair in report["seen"]],
        "digests": {name: digest for report in reports for name, digest in report["digests"].items()},
        "errors": {name: error for report in reports for name, error in report["errors"].items()},
    }
    json.dump(whole, sys.stdout)


if __name__ == "__main__":
    main()
