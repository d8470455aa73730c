"""Runs that play in a notebook: ``gradflow.show(source)``, and cells that begin with ``%%gradflow``.

What is shown is one page with everything in it, in a frame: no server, no network, no extension of the notebook.
"""

from __future__ import annotations

import argparse
import base64
import html
import os
import shlex
import zlib
from pathlib import Path
from typing import Any, Final, Literal, NoReturn

import orjson

from gradflow.backend.jail.outcome import to_json
from gradflow.backend.packed import pack
from gradflow.backend.playground_folder import find_playground
from gradflow.engine.run import run
from gradflow.engine.trace import Trace

_PLACE: Final = "<!--run-->"
"""Where the run stands in the page, as `frontend/src/lib/page/offline_run.ts` has it."""

_HEIGHT: Final = 508


class Player:
    """A run that plays: shown by notebooks, written to a file by `save`."""

    def __init__(self, trace: Trace, page: str, height: int) -> None:
        self.trace = trace
        self.page = page
        self.height = height

    def _repr_html_(self) -> str:
        frame = "width: 100%; border: 1px solid #cfd1cf; border-radius: 14px"
        return f'<iframe srcdoc="{html.escape(self.page)}" title="Gradflow" height="{self.height}" style="{frame}"></iframe>'

    def __repr__(self) -> str:
        return f"<gradflow.Player of {len(self.trace.nodes)} functions, {len(self.trace.passes)} backward passes>"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, which plays in any browser without a network. Raises OSError."""
        Path(path).write_text(self.page, encoding="utf-8")


def show(
    source: str,
    *,
    height: int = _HEIGHT,
    theme: Literal["light", "dark"] | None = None,
    language: Literal["en", "zh"] | None = None,
    step: float | None = None,
    playground: str | None = None,
    **request: Any,
) -> Player:
    """Run a program and give a player of it, which a notebook draws in place.

    source: a PyTorch program, or one expression. height: of the frame, in pixels. theme, language: by default the reader's
    own. step: where it begins, in segments of the timeline, as in the playground's address; by default where the first backward
    pass does. playground: the address of a Gradflow that others can reach, for the link *Open in playground*; by default there
    is no link. request: as for `gradflow.run`: ``inputs``, ``output``, ``gradient``, ``max_elements``, ...

    A program that raises is shown as far as it came. Raises `InvalidRequest` for arguments that make no sense, ValueError for
    an unknown theme or language, and FileNotFoundError where the page has not been built.
    """
    for name, value, choices in (("theme", theme, ("light", "dark")), ("language", language, ("en", "zh"))):
        if value is not None and value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    template = _template()
    trace = run(source, **request)
    content = {
        "trace": orjson.Fragment(to_json(trace)),
        "step": step,
        "language": language,
        "theme": theme,
        "link": playground and _link(playground, source),
    }
    return Player(trace, template.replace(_PLACE, pack(orjson.dumps(content))), height)


def _template() -> str:
    folder = find_playground()
    file = folder and folder / "player.html"
    if file is None or not file.is_file():
        raise FileNotFoundError("The page that plays is not built. In a checkout, `make build` builds it.")
    return file.read_text(encoding="utf-8")


def _link(playground: str, source: str) -> str:
    """The address of a program in a playground, as its own links have it."""
    packer = zlib.compressobj(9, wbits=-15)
    code = base64.urlsafe_b64encode(packer.compress(source.encode()) + packer.flush()).decode().rstrip("=")
    return f"{playground.partition('#')[0]}#code={code}"


class _Refused(Exception):
    """The line of a magic makes no sense."""


class _Arguments(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise _Refused(message)


def _arguments() -> _Arguments:
    parser = _Arguments(prog="%%gradflow", description="Run the cell by Gradflow and show it playing.", add_help=False)
    parser.add_argument("--height", type=int, default=_HEIGHT)
    parser.add_argument("--theme", choices=["light", "dark"])
    parser.add_argument("--language", choices=["en", "zh"])
    parser.add_argument("--step", type=float)
    parser.add_argument("--playground")
    return parser


def register(shell: Any) -> None:
    """Teach IPython's ``shell`` the cell magic ``%%gradflow``."""
    parser = _arguments()

    def gradflow(line: str, cell: str) -> Player | None:
        """Run the cell by Gradflow and show it playing: %%gradflow [--height N] [--theme light|dark] [--language en|zh]."""
        try:
            return show(cell, **vars(parser.parse_args(shlex.split(line))))
        except (_Refused, ValueError) as refused:
            print(f"{refused}\n{parser.format_usage()}", end="")
            return None

    shell.register_magic_function(gradflow, magic_kind="cell", magic_name="gradflow")
