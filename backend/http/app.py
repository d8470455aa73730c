"""The application: API, documentation and playground in one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette_compress import CompressMiddleware

from gradflow import __version__
from gradflow.backend.http import api, cards, course, documentation, links, problems, static
from gradflow.backend.http.limiter import Limiter
from gradflow.backend.http.middleware import BodyLimit, Framing, Head, SecurityHeaders
from gradflow.backend.http.requests_log import RequestsLog
from gradflow.backend.jail.bounds import WORKER
from gradflow.backend.jail.processes import Launched
from gradflow.backend.service import Service
from gradflow.backend.settings import Settings, read_settings
from gradflow.backend.storage.shelf import Shelf

log = logging.getLogger("gradflow")

_DESCRIPTION = """See what PyTorch's `backward(gradient)` does: post a program, get its computation graph, every value,
and the vector-Jacobian products of every backward pass, step by step."""


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    await asyncio.gather(service.jail.start(), app.state.shelf.start())
    if not service.jail.seccomp:
        log.warning("This platform has no seccomp: programs run unconfined by the kernel. See docs/security.md.")
    try:
        yield
    finally:
        await service.jail.close()
        await app.state.shelf.close()


def create_app(settings: Settings | None = None, *, worker: str = WORKER, launched: Launched | None = None) -> FastAPI:
    """The ASGI application. ``worker`` is what runs in the confined processes; ``launched`` the process that forks them,
    where it was started before."""
    settings = settings or read_settings(log.warning)
    app = FastAPI(
        title="Gradflow",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=_lifespan,
        generate_unique_id_function=lambda route: route.name,
        telemetry={"tracing": False, "metrics": False, "logs": False},
    )
    app.state.settings = settings
    app.state.service = Service(settings, worker, launched)
    app.state.limiter = Limiter(settings.rate_limit)
    app.state.shelf = Shelf(settings)
    app.add_middleware(Framing)
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes)
    app.add_middleware(CompressMiddleware, minimum_size=1024, zstd_level=3, brotli_quality=4, gzip_level=4)
    app.add_middleware(SecurityHeaders, embed_origins=settings.embed_origins)
    app.add_middleware(Head)
    app.add_middleware(RequestsLog, metrics=app.state.service.metrics)
    problems.install(app)
    app.include_router(api.router)
    app.include_router(links.router)
    app.include_router(cards.router)
    course.install(app)
    documentation.install(app)
    app.state.playground = static.install(app, settings.static_dir, settings.title)
    return app
