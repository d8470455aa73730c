"""What the routes of the API share: strict JSON in, and errors as the document declares them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from gradflow.backend.http.problems import MEDIA_TYPE as PROBLEM_TYPE

_MEANINGS = {
    404: "There is nothing of this name; the detail says what there is.",
    413: "The body or the program is too long.",
    415: "The body is not application/json.",
    422: "The request does not make sense; `errors` tells where.",
    429: "Too many runs from this address; see Retry-After.",
    500: "The server failed.",
    503: "Every place and every seat is taken; see Retry-After.",
}

_AGAIN = (429, 503)
_RETRY_AFTER = {"description": "Seconds after which to ask again, where that is known.", "schema": {"type": "integer"}}
_TAG = {"description": "With If-None-Match the answer is 304 until it changes.", "schema": {"type": "string"}}
TAGGED: dict[int | str, dict[str, Any]] = {
    200: {"headers": {"ETag": _TAG}},
    304: {"description": "It has not changed."},
}
"""How a route declares that its answer has a tag."""


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a route declares the errors that it may answer."""
    return {status: _problem(status) for status in statuses}


def _problem(status: int) -> dict[str, Any]:
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    told: dict[str, Any] = {"description": _MEANINGS[status], "content": content}
    return told | {"headers": {"Retry-After": _RETRY_AFTER}} if status in _AGAIN else told


class JsonRequest(Request):
    async def json(self) -> Any:
        """Strict JSON: no NaN, no lone surrogates, no nesting without end; errors tell the position."""
        return orjson.loads(await self.body())


class JsonRoute(APIRoute):
    """Takes application/json, read by `JsonRequest`."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        handle = super().get_route_handler()

        async def handle_json(request: Request) -> Response:
            if request.method == "POST" and not _is_json(request.headers.get("content-type", "")):
                raise HTTPException(415, "The body must be application/json.")
            return await handle(JsonRequest(request.scope, request.receive))

        return handle_json


def _is_json(content_type: str) -> bool:
    return content_type.partition(";")[0].strip().lower() == "application/json"
