"""What a link looks like where it is posted: Open Graph's tags, and the picture of its program.

Reference: https://ogp.me
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import re
import struct
import zlib
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter
from starlette.exceptions import HTTPException

from gradflow.backend.answer_cache import Begun
from gradflow.backend.http.limiter import client_of
from gradflow.backend.http.problems import NotFound
from gradflow.backend.http.route import problems
from gradflow.backend.jail.jail import Full, Unavailable
from gradflow.backend.pictures import render
from gradflow.backend.service import Service
from gradflow.backend.settings import Settings
from gradflow.backend.storage.links import LONGEST_NAME
from gradflow.backend.storage.shelf import NoStorage
from gradflow.engine.picture.palette import PALETTES
from gradflow.engine.picture.svg import FONT
from gradflow.engine.picture.view import WHOLE
from gradflow.engine.run import InvalidRequest

SIZE: Final = (1200, 630)
"""Pixels of a card, as sites that show them want it."""
_MARGIN: Final = 12.0
_SMALLEST: Final = 0.4
"""To what part of its size a picture shrinks, so that it can be read; of a larger one the beginning is shown."""
_SVG: Final = re.compile(rb'[^\n]*\n<svg width="([1-9]\d{0,8})" height="([1-9]\d{0,8})"')
_ABOUT: Final = "See what PyTorch's backward(gradient) does, step by step."
_MOST: Final = 60
"""Tensors and functions of a picture that can be read at this size."""
_LONGEST_TEXT: Final = 160
_FRESH: Final = {"Cache-Control": "public, max-age=3600"}
_PREVIEWER: Final = re.compile(
    r"bot\b|crawler|preview|facebookexternalhit|whatsapp|slack|discord|telegram|skype|embed|iframely|pinterest|mastodon",
    re.IGNORECASE,
)
_PNG: Final = {"image/png": {"schema": {"type": "string", "format": "binary"}}}

router = APIRouter(tags=["links"])


def wants_card(request: Request) -> bool:
    """Whether who follows a link shows what it leads to, and does not open it: a browser that opens a page says so."""
    if request.headers.get("sec-fetch-dest") == "document":
        return False
    is_page = "text/html" in request.headers.get("accept", "")
    return is_page or _PREVIEWER.search(request.headers.get("user-agent", "")) is not None


def tags(base: str, path: str, title: str = "", about: str = "") -> str:
    """The tags of a page. base: the server's address as the client knows it. path: of the card."""
    image = f"{base.rstrip('/')}/{path}"
    told = {
        "og:type": "website",
        "og:site_name": "Gradflow",
        "og:title": title or "Gradflow",
        "og:description": about or _ABOUT,
        "og:image": image,
        "og:image:type": "image/png",
        "og:image:width": str(SIZE[0]),
        "og:image:height": str(SIZE[1]),
    }
    lines = [f'<meta property="{name}" content="{escape(text)}">' for name, text in told.items()]
    return "\n".join([*lines, '<meta name="twitter:card" content="summary_large_image">', ""])


def tags_of_link(request: Request, name: str, fragment: str) -> str:
    """The tags of a short link: the title of its example, and the line of its first pass."""
    found = program_of(fragment, request.app.state.gallery_programs, request.app.state.settings.max_source_bytes)
    title, source = found or ("", "")
    line = next((each.strip() for each in source.splitlines() if "backward(" in each or "autograd.grad(" in each), "")
    about = line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"
    return tags(str(request.base_url), f"l/{name}/card.png", title, about)


def program_of(fragment: str, gallery: Iterable[Any], longest: int) -> tuple[str, str] | None:
    """The title (of an example) and the program of a state of the page; None where it names none that can be read."""
    state = dict(parse_qsl(fragment, max_num_fields=20) if fragment.count("&") < 20 else ())
    if code := state.get("code"):
        source = _unpacked(code, longest)
        return None if source is None else ("", source)
    return next(((each.title.en, each.source) for each in gallery if each.id == state.get("example")), None)


def _unpacked(code: str, longest: int) -> str | None:
    """A program out of deflated base64url; it can be no bomb, for it is never unpacked further than it may be long."""
    try:
        packed = base64.urlsafe_b64decode(code + "=" * (-len(code) % 4))
        source = zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, longest + 1)
        return source.decode() if len(source) <= longest else None
    except (binascii.Error, ValueError, zlib.error):
        return None


@router.get(
    "/card.png",
    response_class=Response,
    responses={200: {"content": _PNG}, **problems(500)},
)
async def card() -> Response:
    """The picture of the playground itself, 1200 by 630 pixels."""
    return Response(plain_card(), media_type="image/png", headers=_FRESH)


@router.get(
    "/l/{id}/card.png",
    response_class=Response,
    responses={200: {"content": _PNG}, **problems(404, 422, 429, 500, 503)},
)
async def card_of_link(
    request: Request,
    id: Annotated[str, PathParameter(description="As the link was stored.", max_length=LONGEST_NAME)],
) -> Response:
    """The picture of a short link's program, 1200 by 630 pixels; of one that cannot be drawn, a plain card."""
    try:
        fragment = await request.app.state.shelf.find(id)
    except NoStorage as error:
        after = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
        raise HTTPException(503, str(error), after) from error
    if fragment is None:
        raise NotFound("There is no link of this name, or it has expired.")
    request.app.state.limiter.hit(request)
    settings: Settings = request.app.state.settings
    found = program_of(fragment, request.app.state.gallery_programs, settings.max_source_bytes)
    return await _card(request, found[1] if found else None)


async def _card(request: Request, source: str | None) -> Response:
    drawn = plain_card()
    if source is not None:
        # What cannot be drawn, or not now, has the plain card.
        with contextlib.suppress(InvalidRequest, render.RenderError, Full, Unavailable):
            drawn = await request.app.state.service.cache.answer(
                {"source": source, "product": "card"},
                lambda begun: _drawn(request, source, begun),
                lambda card: True,
                client_of(request),
            )
    return Response(drawn, media_type="image/png", headers=_FRESH)


async def _drawn(request: Request, source: str, begun: Begun) -> bytes:
    """The card, drawn as `render` draws."""
    service: Service = request.app.state.service
    most = min(_MOST, service.settings.render_elements)
    drawn = await service.picture({"source": source}, WHOLE, "png", most, client_of(request), _framed, begun)
    if drawn[16:24] != struct.pack(">II", *SIZE):
        raise render.RenderError("The picture is no card.")
    return drawn


def _framed(svg: bytes) -> bytes:
    """The picture on a card, and whose it is; a card has two dots for each of an SVG."""
    found = _SVG.match(svg)
    if found is None:
        raise render.RenderError("The picture is no card.")
    across, down = float(found[1]), float(found[2])
    width, height = (each * 96 / render.DPI for each in SIZE)
    scale = min(1.0, max(_SMALLEST, min((width - 2 * _MARGIN) / across, (height - 2 * _MARGIN) / down)))
    x, y = (max(_MARGIN, (room - scale * own) / 2) for room, own in ((width, across), (height, down)))
    paper = PALETTES[WHOLE.theme].paper
    begin = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"><rect width="{width:g}" height="{height:g}"'
        f' fill="{paper}"/><g transform="translate({x:.4g} {y:.4g}) scale({scale:.4g})">'
    )
    end = (
        f'</g><rect x="{width - 66:g}" y="{height - 26:g}" width="58" height="20" rx="5" fill="{paper}"/><text x="{width - 14:g}"'
        f' y="{height - 12:g}" font-family="{FONT}" font-size="10" text-anchor="end" fill="{PALETTES[WHOLE.theme].wire}">Gradflow</text></svg>\n'
    )
    return begin.encode() + svg[svg.index(b"<svg") :] + end.encode()


@cache
def plain_card() -> bytes:
    """A card that says what Gradflow is."""
    return Path(__file__).with_name("plain_card.png").read_bytes()
