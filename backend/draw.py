"""Graphviz under limits: reads DOT, writes a picture. A program of its own, so that it can be killed as one.

    python -m backend.draw FORMAT SECONDS BYTES < graph.dot > picture

Exit status 1, with the reason on stderr, when Graphviz fails.
"""

from __future__ import annotations

import importlib.util
import os
import resource
import shutil
import sys
from typing import Literal

Drawer = Literal["dot", "pygraphviz", "none"]


def drawer() -> Drawer:
    """What there is to draw with: the `dot` executable before the libraries that pygraphviz carries."""
    if shutil.which("dot"):
        return "dot"
    return "pygraphviz" if importlib.util.find_spec("pygraphviz") else "none"


def draw(graph: bytes, file_format: str) -> bytes:
    """The picture. Raises RuntimeError when Graphviz fails."""
    match drawer():
        case "dot":
            return _by_executable(graph, file_format)
        case "pygraphviz":
            return _by_libraries(graph, file_format)
        case "none":
            raise RuntimeError("Graphviz is not installed.")


def _by_executable(graph: bytes, file_format: str) -> bytes:
    import graphviz

    try:
        picture: bytes = graphviz.pipe("dot", file_format, graph, quiet=True)
    except graphviz.CalledProcessError as error:
        raise RuntimeError(error.stderr.decode(errors="replace").strip() or str(error)) from None
    return picture


def _by_libraries(graph: bytes, file_format: str) -> bytes:
    import pygraphviz

    try:
        picture: bytes = pygraphviz.AGraph(string=graph.decode()).draw(format=file_format, prog="dot")
    except (OSError, ValueError, pygraphviz.DotError) as error:
        raise RuntimeError(str(error)) from None
    return picture


def main() -> None:
    """Lower the limits first: they hold for the executable too."""
    file_format, seconds, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ |= {"SERVER_NAME": "gradflow", "GV_FILE_PATH": ""}  # Graphviz then reads no image files
    try:
        sys.stdout.buffer.write(draw(sys.stdin.buffer.read(), file_format))
    except (RuntimeError, MemoryError) as error:
        sys.exit(str(error) or "out of memory")


if __name__ == "__main__":
    main()
