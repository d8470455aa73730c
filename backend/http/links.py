"""Short links: the state of the page under a short address."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from gradflow.backend.http import cards
from gradflow.backend.http.limiter import client_of
from gradflow.backend.http.link_pages import FORWARD, Words, page
from gradflow.backend.http.problems import NotFound
from gradflow.backend.http.route import JsonRoute, problems
from gradflow.backend.http.schemas import Request as StrictRequest
from gradflow.backend.settings import Settings
from gradflow.backend.storage.links import LONGEST_NAME, NoRoom, TooMany
from gradflow.backend.storage.shelf import NoStorage, Shelf

_FRAGMENT: Final = r"^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})+$"
"""What may stand behind the # of an address (RFC 3986)."""
_LONGEST_HEADER: Final = 3000
"""Longer headers are too long for proxies as they are delivered: there a page leads on."""

router = APIRouter(route_class=JsonRoute, tags=["links"])


class LinkRequest(StrictRequest):
    """A state of the page, as its address holds it."""

    fragment: str = Field(min_length=1, pattern=_FRAGMENT, examples=["example=first&step=12"])
    """What stands behind the # of the playground's address; at most `max_link_bytes` characters."""


class Link(BaseModel):
    """Where a state of the page is found again."""

    id: str = Field(examples=["k5x2v3q7a4bc"])
    """Made of the fragment: the same has the same."""
    url: str = Field(examples=["http://localhost:8000/l/k5x2v3q7a4bc"])
    """The short address."""


def _shelf(request: Request) -> Shelf:
    shelf: Shelf = request.app.state.shelf
    return shelf


@router.post(
    "/api/v1/links",
    status_code=201,
    response_model=Link,
    responses={200: {"model": Link, "description": "It was stored before."}, **problems(413, 415, 422, 429, 500, 503)},
)
async def store_link(body: LinkRequest, request: Request, response: Response) -> Link:
    """Keep a state of the page (program, gradient, step, view) under a short address."""
    settings: Settings = request.app.state.settings
    if len(body.fragment) > settings.max_link_bytes:
        raise HTTPException(413, f"The fragment is longer than {settings.max_link_bytes} characters.")
    try:
        stored = await _shelf(request).store(body.fragment, client_of(request))
    except TooMany as error:
        detail = f"At most {settings.links_per_day} links a day are stored from one address."
        raise HTTPException(429, detail, {"Retry-After": str(error.seconds)}) from None
    except NoRoom:
        raise HTTPException(503, "The room that this server has for links is used up.") from None
    except NoStorage as error:
        raise _unavailable(error) from error
    response.status_code = 201 if stored.new else 200
    response.headers["Cache-Control"] = "no-store"
    return Link(id=stored.name, url=f"{str(request.base_url).rstrip('/')}/l/{stored.name}")


@router.get(
    "/l/{id}",
    status_code=302,
    response_class=Response,
    responses={
        200: {
            "description": "A page that leads there, where the address is long or is to be shown as a card.",
            "content": {"text/html": {}},
        },
        302: {"description": "To the page in that state."},
        **problems(404, 422, 500, 503),
    },
)
async def open_link(
    request: Request, id: Annotated[str, Path(description="As the link was stored.", max_length=LONGEST_NAME)]
) -> Response:
    """Open the page in the state that was stored."""
    try:
        fragment = await _shelf(request).find(id)
    except NoStorage as error:
        if _is_browser(request):
            return _words(request, 503, _after(error))
        raise _unavailable(error) from error
    if fragment is None:
        if _is_browser(request):
            return _words(request, 404)
        raise NotFound("There is no link of this name, or it has expired.")
    target = f"{request.scope.get('root_path', '')}/#{fragment}"
    if len(target) > _LONGEST_HEADER or cards.wants_card(request):
        tags = cards.tags_of_link(request, id, fragment)
        told = page(request.headers.get("accept-language", ""), FORWARD, target, tags)
        return HTMLResponse(told, headers=_FRESH | {"Vary": "Accept, Sec-Fetch-Dest, User-Agent"})
    return Response(status_code=302, headers={"Location": target, **_FRESH})


_FRESH: Final = {"Cache-Control": "no-store"}


def _is_browser(request: Request) -> bool:
    return "text/html" in request.headers.get("accept", "")


def _words(request: Request, status: int, headers: dict[str, str] | None = None) -> Response:
    home = f"{request.scope.get('root_path', '')}/"
    told = page(request.headers.get("accept-language", ""), Words(status), home)
    return HTMLResponse(told, status, {**_FRESH, **(headers or {})})


def _after(error: NoStorage) -> dict[str, str]:
    return {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}


def _unavailable(error: NoStorage) -> HTTPException:
    return HTTPException(503, str(error), _after(error))
