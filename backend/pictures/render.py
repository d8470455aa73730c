"""Pictures: a trace in, SVG out, or DOT for Graphviz; of an SVG a process with limits makes PNG and PDF."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import math
import os
import signal
import sys
import warnings
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal, get_args

from gradflow.backend import helper_process
from gradflow.backend.confinement.system_calls import filter_of_drawings
from gradflow.backend.pictures.drawing_process import REFUSED, TOO_LARGE
from gradflow.backend.pictures.font import with_font
from gradflow.backend.settings import Settings, read_settings
from gradflow.engine.picture.dot import to_dot
from gradflow.engine.picture.palette import Theme
from gradflow.engine.picture.svg import to_svg
from gradflow.engine.picture.view import View
from gradflow.engine.trace import Trace

Format = Literal["svg", "png", "pdf", "dot"]
Set = Literal["png", "pdf"]
"""What is made of an SVG."""

MEDIA_TYPES: Final[dict[Format, str]] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "dot": "text/vnd.graphviz; charset=utf-8",
}


class RenderError(Exception):
    """A graph could not be drawn; the message says why."""


def render(
    trace: Trace,
    format: Format = "svg",
    *,
    theme: Theme = "light",
    turn: int | None = None,
    step: int | None = None,
    settings: Settings | None = None,
) -> bytes:
    """Draw the graph of a trace: tensors with value and gradient, functions, and what flowed between them.

    trace: what `gradflow.run` gave. format: ``"svg"``, ``"png"``, ``"pdf"``, or ``"dot"``, Graphviz's own language in
    UTF-8. PNG, with two dots for each of an SVG's, and PDF are the SVG, set in a process of its own. theme: ``"light"`` or
    ``"dark"``. turn: of a loop that trains, or that is long, one turn is drawn: which one, from 1; by default the last. step:
    how many steps of the backward pass have been made, from 0; by default all. settings: whose ``render_time_limit``,
    ``render_memory_limit`` and ``render_elements`` hold; by default the environment's, ``GRADFLOW_RENDER_TIME_LIMIT``
    (10 seconds), ``GRADFLOW_RENDER_MEMORY_LIMIT`` (1 GiB) and ``GRADFLOW_RENDER_ELEMENTS`` (1000).

    Gives the content of the file. Can be called where an event loop runs, as in a notebook, and blocks it.

    Raises ValueError for an unknown format or theme, `InvalidRequest` (a ValueError) when the program made no tensor, has no
    such turn or step, or more than can be drawn, and `RenderError` when PNG or PDF take too much time or memory.
    """
    for name, value, choices in (("format", format, get_args(Format)), ("theme", theme, get_args(Theme))):
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    in_force = settings or read_settings(lambda message: warnings.warn(message, stacklevel=4))
    view = View(theme, turn, step)
    drawn = (to_dot if format == "dot" else to_svg)(trace, view, in_force.render_elements).encode(errors="replace")
    if format == "png" or format == "pdf":
        return _finished(picture(drawn, format, in_force))
    return with_font(drawn) if format == "svg" else drawn


def _finished(work: Coroutine[Any, Any, bytes]) -> bytes:
    """What a coroutine gives, whether or not an event loop runs already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, work).result()


async def picture(svg: bytes, file_format: Set, settings: Settings) -> bytes:
    """An SVG as PNG or PDF. Raises RenderError."""
    process = await asyncio.create_subprocess_exec(
        *_command(file_format, settings),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(),
        start_new_session=True,
    )
    try:
        async with asyncio.timeout(settings.render_time_limit):
            drawn, complaint = await _communicate(process, svg)
    except TimeoutError:
        seconds = f"{settings.render_time_limit:g}"
        raise RenderError(f"The graph is too large to be drawn within {seconds} s.") from None
    finally:
        await _end(process)
    status = process.returncode or 0
    if status == 0:
        return drawn
    complained = complaint.decode(errors="replace").strip()
    if status < 0:  # it went past a limit
        raise RenderError(TOO_LARGE)
    if status == REFUSED:
        raise RenderError(complained.rpartition("\n")[2])
    raise RuntimeError(complained)


async def _communicate(process: asyncio.subprocess.Process, svg: bytes) -> tuple[bytes, bytes]:
    """The picture and the complaint, each up to a length. Raises RenderError for a picture that is longer."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    feeding = asyncio.ensure_future(_feed(process.stdin, svg))
    complaining = asyncio.ensure_future(_read(process.stderr, _LONGEST_COMPLAINT))
    try:
        drawn, whole = await _read(process.stdout, LONGEST_PICTURE)
        if not whole:
            raise RenderError(f"The picture is larger than {LONGEST_PICTURE >> 20} MiB.")
        complaint, _ = await complaining
        await process.wait()
        return drawn, complaint
    finally:
        feeding.cancel()
        complaining.cancel()


async def _feed(stream: asyncio.StreamWriter, data: bytes) -> None:
    with contextlib.suppress(ConnectionError):
        stream.write(data)
        await stream.drain()
        stream.close()


async def _read(stream: asyncio.StreamReader, most: int) -> tuple[bytes, bool]:
    """What comes, up to a length, and whether that is all."""
    received = bytearray()
    while part := await stream.read(1 << 16):
        if len(received) + len(part) > most:
            return bytes(received), False
        received += part
    return bytes(received), True


async def _end(process: asyncio.subprocess.Process) -> None:
    """It may not have children; the whole group goes nevertheless."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


LONGEST_PICTURE: Final = 16 << 20
_LONGEST_COMPLAINT: Final = 10_000
DPI: Final = 192
"""Dots per inch of a PNG: two for each of an SVG's, which has 96."""

_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
_PROGRAM: Final = str(Path(__file__).with_name("drawing_process.py"))
_FONTS: Final = str(Path(__file__).with_name("fonts"))


@cache
def _filter() -> str:
    """For the command line; empty where the platform has no seccomp."""
    return base64.b64encode(filter_of_drawings() or b"").decode()


@cache
def _typst() -> str:
    """The folder of the package: the program runs without the paths of this process, and is told."""
    found = find_spec("typst")
    if found is None or found.origin is None:
        raise RuntimeError("the package typst is missing, which pip installs with gradflow")
    return str(Path(found.origin).parent)


def _command(file_format: Set, settings: Settings) -> list[str]:
    """The program behind its walls."""
    limits = [str(math.ceil(settings.render_time_limit)), str(settings.render_memory_limit)]
    python = [sys.executable, "-I", "-S"]
    return [*python, _LAUNCHER, _filter(), *limits, *python, _PROGRAM, file_format, str(DPI), _FONTS, _typst()]


def _environment() -> dict[str, str]:
    """One thread draws."""
    return helper_process.environment() | {"LANG": "C.UTF-8", "RAYON_NUM_THREADS": "1"}
