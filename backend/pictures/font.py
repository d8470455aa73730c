"""The page's font inside of an SVG, so that a picture has its letters wherever it is shown."""

from __future__ import annotations

import base64
import re
from functools import cache
from typing import Final

from gradflow.backend.playground_folder import find_playground

NAME: Final = "Inter"
_FILE: Final = "inter-latin-wght-normal*.woff2"


@cache
def _style() -> bytes:
    """The font as a style sheet; empty where the page is not built."""
    page = find_playground()
    found = sorted((page / "assets").glob(_FILE)) if page is not None else []
    if not found:
        return b""
    data = base64.b64encode(found[0].read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{data}) format('woff2')"
    face = f"@font-face{{font-family:{NAME};font-weight:100 900;src:{source}}}"
    return f"<defs><style>{face}</style></defs>\n".encode()


def with_font(svg: bytes) -> bytes:
    """The same SVG with the font, Latin letters of all weights, 64 kB. Other letters are those of the machine that shows it."""
    return re.sub(rb"<svg\b[^>]*>\n?", lambda found: found[0] + _style(), svg, count=1)
