"""Turns an SVG into a PNG or a PDF, behind walls. A program of its own, so that it can be killed as one.

    python drawing_process.py FORMAT DPI FONTS TYPST < picture.svg > picture

FONTS: a folder. TYPST: the folder of that package, which sets pictures. Exit status `REFUSED`, with the reason as the last line
on stderr, when it cannot draw this one.
"""

from __future__ import annotations

import os
import sys
from typing import Final, Literal

REFUSED: Final = 3
TOO_LARGE: Final = "The picture is too large to be drawn."
PANIC: Final = "PanicException"
"""What stops Rust; it derives from BaseException, and has told of itself."""
PAGE: Final = b"""#set page(width: auto, height: auto, margin: 0pt)
#set document(date: none)
#image(bytes(sys.inputs.picture), format: "svg")
"""
"""A page that is the picture; the picture itself is no part of this program."""


def draw(svg: str, file_format: Literal["png", "pdf"], dpi: float, fonts: str) -> bytes:
    """The picture; ``dpi`` is that of a PNG, of which an SVG has 96. Raises RuntimeError for what is no SVG."""
    import typst

    found = typst.Fonts(include_system_fonts=True, include_embedded_fonts=True, font_paths=[fonts])
    compiler = typst.Compiler(PAGE, root=fonts, font_paths=found, sys_inputs={"picture": svg})
    drawn = compiler.compile(format=file_format, ppi=dpi)
    if not isinstance(drawn, bytes):
        raise RuntimeError("the picture is no single page")
    return drawn


def main() -> None:
    """As above."""
    file_format, dpi, fonts, package = sys.argv[1:]
    sys.path.append(os.path.dirname(package))
    try:
        svg = sys.stdin.buffer.read().decode()
        sys.stdout.buffer.write(draw(svg, "png" if file_format == "png" else "pdf", float(dpi), fonts))
    except (RuntimeError, ValueError) as error:
        sys.stderr.write(f"\n{error}")
        sys.exit(REFUSED)
    except BaseException as error:
        if not isinstance(error, MemoryError) and type(error).__name__ != PANIC:
            raise
        sys.stderr.write(f"\n{TOO_LARGE}")
        sys.exit(REFUSED)


if __name__ == "__main__":
    main()
