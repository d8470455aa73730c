"""Pictures: DOT in, SVG, PNG or PDF out, drawn by Graphviz in a process with limits."""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import signal
from typing import Final, Literal

from gradflow.backend import helper_process
from gradflow.backend.pictures.graphviz_process import REFUSED, drawer
from gradflow.backend.settings import Settings

Format = Literal["svg", "png", "pdf", "dot"]

MEDIA_TYPES: Final[dict[Format, str]] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "pdf": "application/pdf",
    "dot": "text/vnd.graphviz; charset=utf-8",
}


class RenderError(Exception):
    """Graphviz could not draw this graph."""


class NoGraphviz(Exception):
    """There is nothing to draw with on this machine."""


async def picture(dot: bytes, file_format: Format, settings: Settings) -> bytes:
    """Draw a graph given in Graphviz's language. Raises RenderError, and NoGraphviz."""
    if file_format == "dot":
        return dot
    if drawer() == "none":
        raise NoGraphviz("Graphviz is not installed here; the format dot needs none.")
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
            drawn, complaint = await process.communicate(dot)
    except TimeoutError:
        seconds = f"{settings.render_time_limit:g}"
        raise RenderError(f"The graph is too large to be drawn within {seconds} s.") from None
    finally:
        await _end(process)
    if process.returncode == REFUSED or (process.returncode or 0) < 0:
        raise RenderError(complaint.decode(errors="replace").strip() or "Graphviz ran out of memory or time.")
    if process.returncode:
        raise RuntimeError(complaint.decode(errors="replace"))
    return drawn


async def _end(process: asyncio.subprocess.Process) -> None:
    """Graphviz runs as a child of the process: the whole group goes."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _command(file_format: Format, settings: Settings) -> list[str]:
    seconds = math.ceil(settings.render_time_limit)
    limits = [str(seconds), str(settings.render_memory_limit)]
    return helper_process.command("gradflow.backend.pictures.graphviz_process", file_format, *limits)


def _environment() -> dict[str, str]:
    return helper_process.environment("HOME") | {"LANG": "C.UTF-8"}
