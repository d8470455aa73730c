"""The routes of the API."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable
from functools import lru_cache
from typing import Annotated, Any, TypeVar

import orjson
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from gradflow import __version__
from gradflow.backend.http.limiter import client_of
from gradflow.backend.http.problems import NotFound
from gradflow.backend.http.route import TAGGED, JsonRoute, problems
from gradflow.backend.http.schemas import (
    ExampleProgram,
    Health,
    LimitsInForce,
    Operation,
    Ready,
    TraceRequest,
)
from gradflow.backend.jail.conversation import Hold
from gradflow.backend.pictures import render
from gradflow.backend.service import Service
from gradflow.backend.settings import Settings
from gradflow.engine import reference
from gradflow.engine.picture.palette import Theme
from gradflow.engine.picture.view import View
from gradflow.engine.run import InvalidRequest
from gradflow.engine.trace import Trace

T = TypeVar("T")

router = APIRouter(route_class=JsonRoute)


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def _checked(body: TraceRequest, request: Request) -> TraceRequest:
    """The request, within the limits in force."""
    settings: Settings = request.app.state.settings
    request.app.state.limiter.hit(request)
    if len(body.source.encode()) > settings.max_source_bytes:
        raise HTTPException(413, f"The program is longer than {settings.max_source_bytes} bytes.")
    if body.max_elements > settings.max_elements:
        raise InvalidRequest(f"must be at most {settings.max_elements} on this server", "max_elements")
    if body.max_bytes > settings.max_trace_bytes:
        if "max_bytes" in body.model_fields_set:
            raise InvalidRequest(f"must be at most {settings.max_trace_bytes} on this server", "max_bytes")
        return body.model_copy(update={"max_bytes": settings.max_trace_bytes})
    return body


async def _unless_disconnected(request: Request, work: Awaitable[T]) -> T:
    """What ``work`` gives; it is cancelled when the client goes away."""
    task = asyncio.ensure_future(work)
    gone = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        for waiting in (task, gone):
            waiting.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class _Held(Response):
    """Keeps the room that a large answer takes in the service until it has been sent."""

    def __init__(self, content: bytes, hold: Hold, **options: Any) -> None:
        super().__init__(content, **options)
        self._hold = hold

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._hold:
            await super().__call__(scope, receive, send)


Body = Annotated[TraceRequest, Depends(_checked)]
ServiceOf = Annotated[Service, Depends(_service)]
SettingsOf = Annotated[Settings, Depends(_settings)]


def _arguments(body: TraceRequest) -> dict[str, Any]:
    """The request as the arguments of a run."""
    return {**body.model_dump(exclude_unset=True), "max_bytes": body.max_bytes}


_OF_PROGRAMS = problems(413, 415, 422, 429, 500, 503)


@router.post("/api/v1/trace", response_model=Trace, responses=_OF_PROGRAMS, tags=["programs"])
async def trace(body: Body, request: Request, service: ServiceOf) -> Response:
    """Run a program and record it: the graph, every value, and every backward pass step by step.

    A program that raises, or that runs into a limit, is answered with 200 and a trace whose `error` tells about it.
    """
    hold = Hold(service.jail.answers)
    try:
        payload = await _unless_disconnected(request, service.trace(_arguments(body), client_of(request), hold))
    except BaseException:
        hold.release()
        raise
    return _Held(payload, hold, media_type="application/json", headers={"Cache-Control": "no-store"})


_PICTURES: dict[str, Any] = {
    media_type.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}}
    for media_type in render.MEDIA_TYPES.values()
}


DrawnTurn = Annotated[
    int | None, Query(ge=1, le=1_000_000_000, description="Which turn of a loop is drawn; by default the last.")
]
DrawnStep = Annotated[
    int | None,
    Query(ge=0, le=1_000_000_000, description="How many steps of the backward pass have been made; by default all."),
]


@router.post(
    "/api/v1/render",
    response_class=Response,
    responses={200: {"content": _PICTURES}, **_OF_PROGRAMS},
    tags=["programs"],
)
async def picture(
    body: Body,
    request: Request,
    service: ServiceOf,
    settings: SettingsOf,
    format: render.Format = "svg",
    theme: Theme = "light",
    turn: DrawnTurn = None,
    step: DrawnStep = None,
) -> Response:
    """Run a program and draw its graph, with the values and the gradients on the nodes. Takes what /trace takes."""
    view, client = View(theme, turn, step), client_of(request)
    work = service.picture(_arguments(body), view, format, settings.render_elements, client)
    try:
        drawn = await _unless_disconnected(request, work)
    except render.RenderError as error:
        raise InvalidRequest(str(error), "source") from error
    return Response(drawn, media_type=render.MEDIA_TYPES[format], headers={"Cache-Control": "no-store"})


@router.get(
    "/api/v1/render",
    response_class=Response,
    responses={200: {"content": _PICTURES}, **problems(413, 422, 429, 500, 503)},
    tags=["programs"],
)
async def picture_of_source(
    request: Request,
    service: ServiceOf,
    settings: SettingsOf,
    source: Annotated[str, Query(description="A PyTorch program that needs no inputs.", examples=["torch.ones(2)"])],
    format: render.Format = "svg",
    theme: Theme = "light",
    turn: DrawnTurn = None,
    step: DrawnStep = None,
) -> Response:
    """The same by an address, for an `<img>`."""
    body = await _checked(TraceRequest(source=source), request)
    return await picture(body, request, service, settings, format, theme, turn, step)


@lru_cache(maxsize=64)
def _operations(search: str, kind: reference.Kind | None) -> bytes:
    return orjson.dumps(reference.search(search, kind))


def _operations_named(name: str) -> bytes:
    found = reference.find(name)
    if not found:
        close = reference.similar(name)
        meant = f" Did you mean {' or '.join(close)}?" if close else ""
        raise NotFound(f"Programs can call nothing of the name {name!r}.{meant}")
    return orjson.dumps(found)


def unchanging(request: Request, payload: bytes) -> Response:
    """The same until the server is replaced: a client that has it already is told so."""
    tag = f'"{hashlib.sha256(payload).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(payload, media_type="application/json", headers=headers)


@router.get(
    "/api/v1/operations", response_model=list[Operation], responses={**TAGGED, **problems(422, 500)}, tags=["reference"]
)
async def operations(
    request: Request,
    search: Annotated[str, Query(description="Only what has this in one of its names, in capitals or not.")] = "",
    kind: Annotated[reference.Kind | None, Query(description="Only what is of this kind.")] = None,
) -> Response:
    """All that programs can call: operations with their gradient formulas, functions, methods, layers, optimizers."""
    return unchanging(request, await asyncio.to_thread(_operations, search, kind))


@router.get(
    "/api/v1/operations/{name}",
    response_model=list[Operation],
    responses={**TAGGED, **problems(404, 422, 500)},
    tags=["reference"],
)
async def operation(
    request: Request,
    name: Annotated[
        str, Path(description="Dotted, with or without `torch.`, or its last part.", examples=["torch.nn.Linear", "mm"])
    ],
) -> Response:
    """What programs can call by this name: one entry, or one for each overload and for each place with its own."""
    return unchanging(request, await asyncio.to_thread(_operations_named, name))


@router.get(
    "/api/v1/examples", response_model=list[ExampleProgram], responses={**TAGGED, **problems(500)}, tags=["reference"]
)
async def examples(request: Request) -> Response:
    """The programs of the gallery, in their order."""
    return unchanging(request, request.app.state.gallery)


@router.get("/readyz", responses=problems(500, 503), tags=["service"])
async def ready(service: ServiceOf) -> Ready:
    """Whether a program that is sent now would be run at once: 503 while the processes are not up."""
    if not service.jail.ready:
        raise HTTPException(503, "The processes that run programs are not up.", {"Retry-After": "1"})
    return Ready(status="ready")


@router.get("/metrics", response_class=PlainTextResponse, responses=problems(500), tags=["service"])
async def metrics(service: ServiceOf) -> Response:
    """What the service counts, as Prometheus reads it."""
    return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST, headers={"Cache-Control": "no-store"})


@router.get("/healthz", responses=problems(500, 503), tags=["service"])
async def health(request: Request, service: ServiceOf, settings: SettingsOf) -> Health:
    """Whether the server works, and by which limits."""
    await service.jail.start()
    return Health(
        status="ok",
        version=__version__,
        seccomp=service.jail.seccomp,
        playground=request.app.state.playground,
        links=request.app.state.shelf.usable,
        limits=LimitsInForce(**settings.model_dump(include=set(LimitsInForce.model_fields))),
    )
