"""A server for the tests that need no settings of their own, and the application without a network."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import httpx
import pytest

from gradflow.backend.http.app import create_app
from gradflow.backend.settings import Settings
from tests.support.server import serving

T = TypeVar("T")
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True, scope="session")
def _surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Helper processes see nothing of the current folder, so they are told where the tests' own workers
    and the code under test are.
    Nothing is stored in the home of who runs the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), str(ROOT)]))
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a real server."""
    with serving() as address:
        yield address


@pytest.fixture
def client(server: str) -> Iterator[httpx.Client]:
    """A client of the real server."""
    with httpx.Client(base_url=server, timeout=30) as client:
        yield client


Play = Callable[..., T]


@pytest.fixture
def play() -> Play[object]:
    """Play a scene, a coroutine function of a client, with an application of given settings and worker."""

    def play_scene(
        scene: Callable[[httpx.AsyncClient], Awaitable[T]],
        *,
        worker: str = "gradflow.backend.jail.worker:make",
        **settings: object,
    ) -> T:
        async def within() -> T:
            app = create_app(Settings(**settings), worker=worker)  # type: ignore[arg-type]
            transport = httpx.ASGITransport(app, raise_app_exceptions=False)
            async with (
                app.router.lifespan_context(app),
                httpx.AsyncClient(transport=transport, base_url="http://test", timeout=30) as client,
            ):
                return await scene(client)

        return asyncio.run(within())

    return play_scene


@pytest.fixture
def play_pages(play: Play[object]) -> Play[object]:
    """`play`, where no program runs: the engine need not be loaded behind the service, which takes seconds."""
    return partial(play, worker="tests.support.jail_workers:make")
