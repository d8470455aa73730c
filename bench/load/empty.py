"""A service with one route, which takes the same body and gives the same answer without doing anything for it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
from fastapi import FastAPI, Request, Response

from tests.support.server import ready_address


def app() -> FastAPI:
    """For uvicorn: what it answers is in the file that ``ANSWER`` names."""
    with open(os.environ["ANSWER"], "rb") as file:
        payload = file.read()
    made = FastAPI()

    @made.post("/")
    async def nothing(request: Request) -> Response:
        _: Any = orjson.loads(await request.body())
        return Response(payload, media_type="application/json")

    return made


@contextmanager
def served(answer: bytes) -> Iterator[str]:
    """Its address."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(answer)
        file.flush()
        command = ["uvicorn", "--factory", "bench.load.empty:app", "--port", "0", "--http", "h11", "--no-access-log"]
        process = subprocess.Popen(
            [sys.executable, "-m", *command], stderr=subprocess.PIPE, text=True, env={**os.environ, "ANSWER": file.name}
        )
        try:
            yield ready_address(process)
        finally:
            process.terminate()
            process.communicate()
