"""Every error of the API as application/problem+json (RFC 9457), one shape for all."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from gradflow.backend.http.problem_kinds import type_of
from gradflow.backend.http.schemas import FieldError, Problem
from gradflow.backend.jail.jail import Full, Unavailable
from gradflow.engine.run import InvalidRequest

MEDIA_TYPE = "application/problem+json"
log = logging.getLogger("gradflow.api")

_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}  # RFC 9110's names, which Python 3.11 has not yet
_MOST_ERRORS = 20
_LONGEST_PART = 100
_LONGEST_MESSAGE = 500
_DETAILS = {
    404: "There is nothing at this address.",
    405: "This address does not take that method.",
}


class NotFound(Exception):
    """Something that is asked for by name and does not exist; the message says so."""


def problem(
    status: int, detail: str, errors: list[FieldError] | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """The response for one error."""
    title = _TITLES.get(status) or HTTPStatus(status).phrase
    body = Problem(type=type_of(status), title=title, status=status, detail=detail, errors=errors).model_dump_json(
        exclude_none=True
    )
    return Response(body, status, {**(headers or {}), "Cache-Control": "no-store"}, MEDIA_TYPE)


def unprocessable(errors: list[FieldError]) -> Response:
    """422, with each thing that is wrong."""
    told = [
        FieldError(location=[_cut(part) for part in e.location], message=e.message[:_LONGEST_MESSAGE], code=e.code)
        for e in errors[:_MOST_ERRORS]
    ]
    where = ".".join(str(part) for part in told[0].location)
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return problem(422, f"{where}: {told[0].message}{more}", told)


def _cut(part: str | int) -> str | int:
    return part[:_LONGEST_PART] if isinstance(part, str) else part


def install(app: FastAPI) -> None:
    """Answer every exception that can leave a route."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(InvalidRequest, _invalid)
    app.add_exception_handler(NotFound, _not_found)
    app.add_exception_handler(Full, _full)
    app.add_exception_handler(Unavailable, _unavailable)
    app.add_exception_handler(ClientDisconnect, _gone)
    app.add_exception_handler(Exception, _unexpected)


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    known = _DETAILS.get(error.status_code)
    headers = {name.lower(): value for name, value in (error.headers or {}).items()}
    if error.status_code == 405:
        headers |= _allowed(request)
    return problem(error.status_code, known or error.detail, headers=headers)


def _allowed(request: Request) -> dict[str, str]:
    """All methods of an address: the router tells those of the first of its routes."""
    methods = request.app.openapi()["paths"].get(request.url.path, {})
    return {"allow": ", ".join(method.upper() for method in methods)} if methods else {}


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return unprocessable(_field_errors(error))


def _field_errors(error: RequestValidationError) -> list[FieldError]:
    return [_field_error(item, error.body) for item in error.errors()]


def _field_error(item: Mapping[str, Any], body: object) -> FieldError:
    message = _json_message(item, str(body)) if item["type"] == "json_invalid" else item["msg"]
    return FieldError(location=list(item["loc"]), message=message, code=item["type"])


def _json_message(item: Mapping[str, Any], text: str) -> str:
    position = item["loc"][-1]
    if text.startswith(("NaN", "Infinity", "-Infinity"), position):
        return 'Invalid JSON: it has no such number; write the string "NaN", "Infinity" or "-Infinity"'
    return f"Invalid JSON: {item['ctx']['error']}"


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, InvalidRequest)
    part = "query" if error.location in (("turn",), ("step",)) else "body"
    return unprocessable([FieldError(location=[part, *error.location], message=str(error), code="invalid")])


async def _not_found(request: Request, error: Exception) -> Response:
    return problem(404, str(error))


async def _full(request: Request, error: Exception) -> Response:
    assert isinstance(error, Full)
    detail = "Every place is taken and so is every seat in the waiting room."
    return problem(503, detail, headers={"Retry-After": str(error.retry_after)})


async def _unavailable(request: Request, error: Exception) -> Response:
    log.error("%s", error)
    return problem(503, "The server cannot run programs at the moment.", headers={"Retry-After": "5"})


async def _gone(request: Request, error: Exception) -> Response:
    """For the access log alone: nobody reads it."""
    return Response(status_code=499)


async def _unexpected(request: Request, error: Exception) -> Response:
    """The server logs the exception with its traceback, and closes the connection."""
    return _failure({"Connection": "close"})


def _failure(headers: Mapping[str, str] | None = None) -> Response:
    """The client learns nothing of the inside."""
    return problem(500, "The server failed to answer this request. The failure was logged.", headers=headers)
