"""Graphviz's libraries, started behind walls: reads DOT, writes a picture. A program of its own, so that it can be killed as one.

    python graphviz_process.py FORMAT DPI < graph.dot > picture

Exit status `REFUSED`, with the reason on stderr, when Graphviz cannot draw this graph.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from typing import Final, Literal

Drawer = Literal["dot", "pygraphviz", "none"]

REFUSED: Final = 3


@cache
def drawer() -> Drawer:
    """What there is to draw with: the `dot` executable before the libraries that pygraphviz carries.

    Those need some of the system's, so whether they can be loaded is tried, in a process of its own.
    """
    if shutil.which("dot"):
        return "dot"
    trial = subprocess.run([sys.executable, "-P", "-c", "import pygraphviz"], capture_output=True, check=False)
    return "pygraphviz" if trial.returncode == 0 else "none"


def draw(graph: bytes, file_format: str, dpi: int) -> bytes:
    """The picture; ``dpi`` is that of a PNG. Raises RuntimeError when Graphviz fails."""
    import pygraphviz

    try:
        picture: bytes = pygraphviz.AGraph(string=graph.decode()).draw(
            format=file_format, prog="dot", args=f"-Gdpi={dpi}" if file_format == "png" else ""
        )
    except (OSError, ValueError, pygraphviz.DotError) as error:
        raise RuntimeError(str(error)) from None
    return picture


def main() -> None:
    """As above."""
    file_format, dpi = sys.argv[1], int(sys.argv[2])
    try:
        sys.stdout.buffer.write(draw(sys.stdin.buffer.read(), file_format, dpi))
    except (RuntimeError, MemoryError) as error:
        sys.stderr.write(str(error) or "out of memory")
        sys.exit(REFUSED)


if __name__ == "__main__":
    main()
