"""Pictures: a trace in, SVG out; of PNG and PDF the trace becomes DOT, which Graphviz draws in a process with limits."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import math
import os
import shutil
import signal
import sys
import warnings
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, get_args

from gradflow.backend import helper_process
from gradflow.backend.confinement.system_calls import filter_of_drawings
from gradflow.backend.pictures.font import with_font
from gradflow.backend.pictures.graphviz_process import REFUSED, drawer
from gradflow.backend.settings import Settings, read_settings
from gradflow.engine.picture.dot import to_dot
from gradflow.engine.picture.palette import Theme
from gradflow.engine.picture.svg import to_svg
from gradflow.engine.picture.view import View
from gradflow.engine.trace import Trace

Format = Literal["svg", "png", "pdf", "dot"]

MEDIA_TYPES: Final[dict[Format, str]] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "dot": "text/vnd.graphviz; charset=utf-8",
}


NO_GRAPHVIZ: Final = (
    "Graphviz is missing: install its program dot (Debian: apt-get install graphviz) or its libraries"
    " (pip install 'gradflow[graphviz]'). The formats svg and dot need neither."
)


class RenderError(Exception):
    """A graph could not be drawn; the message says why."""


class NoGraphviz(RenderError):
    """There is nothing to draw with on this machine."""

    def __init__(self) -> None:
        super().__init__(NO_GRAPHVIZ)


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
    UTF-8. Graphviz lays out and draws PNG and PDF, in a process of its own; SVG and DOT need none. theme: ``"light"`` or
    ``"dark"``. turn: of a loop that trains, or that is long, one turn is drawn: which one, from 1; by default the last. step:
    how many steps of the backward pass have been made, from 0; by default all. settings: whose ``render_time_limit``,
    ``render_memory_limit`` and ``render_elements`` hold; by default the environment's, ``GRADFLOW_RENDER_TIME_LIMIT``
    (10 seconds), ``GRADFLOW_RENDER_MEMORY_LIMIT`` (1 GiB) and ``GRADFLOW_RENDER_ELEMENTS`` (1000).

    Gives the content of the file. Can be called where an event loop runs, as in a notebook, and blocks it.

    Raises ValueError for an unknown format or theme, `InvalidRequest` (a ValueError) when the program made no tensor, has no
    such turn or step, or more than can be drawn, and `RenderError` when Graphviz is missing, takes too long or refuses the graph.
    """
    for name, value, choices in (("format", format, get_args(Format)), ("theme", theme, get_args(Theme))):
        if value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, not {value!r}")
    in_force = settings or read_settings(lambda message: warnings.warn(message, stacklevel=4))
    view = View(theme, turn, step)
    if format == "svg":
        return with_font(to_svg(trace, view, in_force.render_elements).encode(errors="replace"))
    dot = to_dot(trace, view, in_force.render_elements).encode(errors="replace")
    return _finished(picture(dot, format, in_force))


def _finished(work: Coroutine[Any, Any, bytes]) -> bytes:
    """What a coroutine gives, whether or not an event loop runs already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, work).result()


async def picture(dot: bytes, file_format: Format, settings: Settings) -> bytes:
    """Draw a graph given in Graphviz's language. Raises RenderError."""
    if file_format == "dot":
        return dot
    if drawer() == "none":
        raise NoGraphviz
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
            drawn, complaint = await _communicate(process, dot)
    except TimeoutError:
        seconds = f"{settings.render_time_limit:g}"
        raise RenderError(f"The graph is too large to be drawn within {seconds} s.") from None
    finally:
        await _end(process)
    status = process.returncode or 0
    if status == 0:
        return drawn
    complained = complaint.decode(errors="replace").strip()
    if status < 0 or status == REFUSED or (drawer() == "dot" and status not in _NOT_STARTED):
        raise RenderError(complained or "Graphviz ran out of memory or time.")
    raise RuntimeError(complained)


async def _communicate(process: asyncio.subprocess.Process, dot: bytes) -> tuple[bytes, bytes]:
    """The picture and the complaint, each up to a length. Raises RenderError for a picture that is longer."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    feeding = asyncio.ensure_future(_feed(process.stdin, dot))
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
    """Graphviz runs as a child of the process: the whole group goes."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


LONGEST_PICTURE: Final = 16 << 20
_LONGEST_COMPLAINT: Final = 10_000
_NOT_STARTED: Final = (126, 127)
"""What the launcher says when it cannot start a program."""

DPI: Final = 192
"""Dots per inch of a PNG: two for each that the page has."""

_LAUNCHER: Final = str(Path(__file__).with_name("launcher.py"))
_LIBRARIES: Final = str(Path(__file__).with_name("graphviz_process.py"))


@cache
def _filter() -> str:
    """For the command line; empty where the platform has no seccomp."""
    return base64.b64encode(filter_of_drawings() or b"").decode()


def _command(file_format: Format, settings: Settings) -> list[str]:
    """Graphviz's program behind its walls; or its libraries, which write a file of their own, with limits alone."""
    limits = [str(math.ceil(settings.render_time_limit)), str(settings.render_memory_limit)]
    launcher, program = [sys.executable, "-I", "-S", _LAUNCHER], shutil.which("dot")
    if program is not None:
        scale = [f"-Gdpi={DPI}"] if file_format == "png" else []
        return [*launcher, _filter(), *limits, program, f"-T{file_format}", *scale]
    return [*launcher, "-", *limits, sys.executable, "-P", _LIBRARIES, file_format, str(DPI)]


def _environment() -> dict[str, str]:
    """With a server's name and no path for files Graphviz reads no images."""
    return helper_process.environment("HOME") | {"LANG": "C.UTF-8", "SERVER_NAME": "gradflow", "GV_FILE_PATH": ""}
