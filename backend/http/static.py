"""The built playground, as files."""

from __future__ import annotations

import gzip
import html
import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Response
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

_COMPRESSIBLE: Final = {".js", ".css", ".html", ".svg", ".json", ".wasm", ".map", ".txt"}
_METHODS: Final = ("GET", "HEAD")
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_NAME: Final = "<title>Gradflow</title>"
_NOT_BUILT: Final = """Gradflow's API is up; see /docs.

The playground itself is not built. In a checkout, `make run` builds and serves it, and so does:

    cd frontend && npm ci && npm run build
"""


def find_playground(configured: Path | None = None) -> Path | None:
    """Where the built page is: as configured, inside an installed package, or in a checkout."""
    here = Path(__file__).resolve().parents[1]
    candidates = [configured] if configured else [here / "playground", here.parent / "frontend" / "dist"]
    return next((folder for folder in candidates if (folder / "index.html").is_file()), None)


class Playground(StaticFiles):
    """Files whose names carry a hash stay in the browser for ever; all are compressed once, not once a visitor.

    With a title of its own the page says so: `index.html` is that of ``folder`` but for its title.
    """

    def __init__(self, folder: Path, title: str = "") -> None:
        super().__init__(directory=folder, html=True)
        self._title = title

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As the router's last resort this also sees what is meant for no file at all."""
        if scope["method"] not in _METHODS:
            _, found = self.lookup_path(self.get_path(scope))
            raise HTTPException(405, headers={"Allow": ", ".join(_METHODS)}) if found else HTTPException(404)
        await super().__call__(scope, receive, send)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, from memory and compressed where the browser takes that."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = _FOR_EVER if path.startswith("assets/") else "no-cache"
        file = getattr(response, "path", None)
        if self._title and file and Path(file).name == "index.html" and response.status_code == 200:
            return _titled(Path(file), self._title)
        accepted = "gzip" in Headers(scope=scope).get("accept-encoding", "")
        if file and accepted and response.status_code == 200 and Path(file).suffix in _COMPRESSIBLE:
            return _compressed(response, file)
        return response


def _titled(file: Path, title: str) -> Response:
    page = file.read_text(encoding="utf-8").replace(_NAME, f"<title>{html.escape(title)} · Gradflow</title>", 1)
    return Response(page, headers={"Cache-Control": "no-cache"}, media_type="text/html")


def _compressed(response: Response, file: str | os.PathLike[str]) -> Response:
    packed = _packed(str(file), os.stat(file).st_mtime_ns)
    headers = {name: value for name, value in response.headers.items() if name != "content-length"}
    headers |= {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return Response(packed, headers=headers, media_type=response.media_type)


@lru_cache(maxsize=256)
def _packed(file: str, changed: int) -> bytes:
    return gzip.compress(Path(file).read_bytes(), 9, mtime=0)


def install(app: FastAPI, configured: Path | None, title: str = "") -> bool:
    """Serve the playground at /, or say how to build it.

    Not as a mount: a mount at / would answer before the router has seen that a route exists for another method.
    """
    folder = find_playground(configured)
    if folder is not None:
        app.router.default = Playground(folder, title)
        return True

    @app.get("/", include_in_schema=False)
    async def not_built() -> Response:
        return PlainTextResponse(_NOT_BUILT)

    return False
