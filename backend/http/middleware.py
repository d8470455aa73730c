"""What holds for every request and every response, whichever route it is for."""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gradflow.backend.http.problems import problem

_POLICY: Final = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",  # Graphviz is WebAssembly
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",  # KaTeX positions its glyphs so
        "style-src-elem 'self' 'unsafe-inline'",  # CodeMirror, in browsers without constructed style sheets
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
)
_OWN: Final = "frame-ancestors 'self'"
_FOR_FRAMES: Final = ("/embed", "/embed.js")
"""What other sites may have in their pages, where the operator allows it: the page that plays, and the script of its tag."""
# An SVG that is opened by itself is a page of ours: nothing in it may run.
_RENDER: Final = "/api/v1/render"
_PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; font-src data:; sandbox"
_HEADERS: Final = {
    "Content-Security-Policy": f"{_POLICY}; {_OWN}",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def _headers_for_frames(origins: str | None) -> dict[str, str]:
    """The headers of what `origins` may have in their pages. X-Frame-Options knows no origins but its own."""
    if not origins:
        return _HEADERS
    headers = {name: value for name, value in _HEADERS.items() if name != "X-Frame-Options"}
    policy = f"{_POLICY}; {_OWN} {origins}" if origins != "*" else f"{_POLICY}; frame-ancestors *"
    return headers | {"Content-Security-Policy": policy, "Cross-Origin-Resource-Policy": "cross-origin"}


class SecurityHeaders:
    """The headers that tell a browser what a page of this server may do: fetch from this server, and nothing else.

    ``embed_origins``: as in the settings, who else may frame `/embed`.
    """

    def __init__(self, app: ASGIApp, embed_origins: str | None = None) -> None:
        self.app = app
        self.for_frames = _headers_for_frames(embed_origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                drawn = headers.get("content-type", "").startswith("image/svg") and scope["path"] == _RENDER
                ours = self.for_frames if scope["path"] in _FOR_FRAMES else _HEADERS
                if drawn:
                    headers.setdefault("Content-Security-Policy", _PICTURE_POLICY)
                for name, value in ours.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class Head:
    """HEAD wherever GET works: the same status and headers, and no body.

    Starlette's own routes and files know it, FastAPI's do not.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        asks = scope["method"] == "HEAD"

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                allowed = headers.get("allow", "").split(", ")
                if "GET" in allowed and "HEAD" not in allowed:
                    headers["allow"] = ", ".join([*allowed, "HEAD"])
            elif asks and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        await self.app({**scope, "method": "GET"} if asks else scope, receive, send_head)


class BodyLimit:
    """413 for a body that is too long: from its declared length, or as soon as it has grown past the limit.

    Starlette's own limit answers in plain text, and every error of this API is application/problem+json.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self.limit = limit
        self.detail = f"The request body is longer than {limit} bytes."

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "0")
        if declared.isdecimal() and int(declared) > self.limit:
            await problem(413, self.detail)(scope, receive, send)
            return
        received = 0

        async def receive_some() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self.limit:
                raise HTTPException(413, self.detail)
            return message

        await self.app(scope, receive_some, send)


class Framing:
    """400 for a request that says in two ways how long it is: a proxy in front may have believed the other one."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope) if scope["type"] == "http" else None
        if headers is not None and "content-length" in headers and "transfer-encoding" in headers:
            detail = "A request has Content-Length or Transfer-Encoding, not both."
            await problem(400, detail, headers={"Connection": "close"})(scope, receive, send)
            return
        await self.app(scope, receive, send)
