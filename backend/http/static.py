"""The built playground, as files."""

from __future__ import annotations

import gzip
import html
import os
from functools import lru_cache
from pathlib import Path
from typing import Final

from fastapi import FastAPI, Request, Response
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from gradflow.backend.http import cards
from gradflow.backend.playground_folder import find_playground

_COMPRESSIBLE: Final = {".js", ".css", ".html", ".svg", ".json", ".wasm", ".map", ".txt"}
_METHODS: Final = ("GET", "HEAD")
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_PAGES: Final = {"embed": "embed.html"}
"""Pages by their addresses."""
_NAME: Final = "<title>Gradflow</title>"
_NOT_BUILT: Final = """Gradflow's API is up; see /docs.

The playground itself is not built. In a checkout, `make run` builds and serves it, and so does:

    cd frontend && npm ci && npm run build
"""


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
            found = self._has_file(scope)
            raise HTTPException(405, headers={"Allow": ", ".join(_METHODS)}) if found else HTTPException(404)
        # Files are small and sent whole, so that no range can be wrong.
        whole = [each for each in scope["headers"] if each[0] not in (b"range", b"if-range")]
        await super().__call__({**scope, "headers": whole}, receive, send)

    def _has_file(self, scope: Scope) -> bool:
        """Whether there is a file at this address, which may be one that no file can have."""
        try:
            return self.lookup_path(self.get_path(scope))[1] is not None
        except (ValueError, OSError):
            return False

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, from memory and compressed where the browser takes that."""
        response = await super().get_response(_PAGES.get(path, path), scope)
        response.headers["Cache-Control"] = _FOR_EVER if path.startswith("assets/") else "no-cache"
        file = getattr(response, "path", None)
        asked = Headers(scope=scope)
        if not file or response.status_code != 200:
            return response
        packed = "gzip" in asked.get("accept-encoding", "") and Path(file).suffix in _COMPRESSIBLE
        head = self._head(scope) if Path(file).name == "index.html" else ""
        if self._title and head:  # an operator may choose another one, and the file has not changed then
            del response.headers["etag"], response.headers["last-modified"]
        return _from_memory(response, file, packed, head)

    def _head(self, scope: Scope) -> str:
        """The page's title, and what it looks like where its address is posted."""
        title = f"{self._title} · Gradflow" if self._title else "Gradflow"
        base = str(Request(scope).base_url)
        return f"{cards.tags(base, 'card.png', title)}<title>{html.escape(title)}</title>"


def _from_memory(response: Response, file: str | os.PathLike[str], packed: bool, head: str) -> Response:
    """Without the threads that reading a file takes: many open the page at once."""
    read = _page if head else _content
    content = read(str(file), os.stat(file).st_mtime_ns, packed, head)
    left_out = ("content-length", "accept-ranges")
    headers = {name: value for name, value in response.headers.items() if name not in left_out}
    if packed:
        headers |= {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return Response(content, headers=headers, media_type=response.media_type)


def _read(file: str, changed: float, packed: bool, head: str) -> bytes:
    """``changed`` tells the caches below that a file is another one now."""
    content = Path(file).read_bytes()
    if head:
        content = content.replace(_NAME.encode(), head.encode(), 1)
    return gzip.compress(content, 9, mtime=0) if packed else content


_content: Final = lru_cache(maxsize=512)(_read)
_page: Final = lru_cache(maxsize=16)(_read)
"""Few: the head has the name by which a client calls this server, and that is the client's to choose."""


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
