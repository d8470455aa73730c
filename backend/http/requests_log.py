"""Each request has an id, a line in the log and a place among the metrics. No text of a program is in either."""

from __future__ import annotations

import json
import logging
import re
import secrets
import time
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gradflow.backend.metrics import Metrics

HEADER: Final = "X-Request-ID"
REFUSED: Final = "gradflow.refused"
"""Under which a scope has the status and the length of what the connection itself answered, whatever the application says."""
REQUEST_ID: Final = "gradflow.request_id"
_GIVEN: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_LONGEST_PATH: Final = 200
_PROBES: Final = frozenset({"/healthz", "/readyz"})
log = logging.getLogger("gradflow.access")


class RequestsLog:
    """One line of JSON a request: id, client, method, path, status, bytes and seconds. Probes have one where they fail."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request_id = scope[REQUEST_ID] = given if _GIVEN.fullmatch(given) else new_id()
        began, status, length = time.perf_counter(), 499, 0

        async def send_with_id(message: Message) -> None:
            nonlocal status, length
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            else:
                length += len(message.get("body", b""))
            await send(message)

        try:
            await self.app(scope, receive, send_with_id)
        except Exception:
            status = 500  # which is answered further out
            raise
        finally:
            status, length = scope.get(REFUSED, (status, length))
            note(self.metrics, scope, request_id, status, length, time.perf_counter() - began)


def new_id() -> str:
    """For a request that has none."""
    return secrets.token_hex(8)


def note(metrics: Metrics, scope: Scope, request_id: str, status: int, length: int, seconds: float) -> None:
    """Count an answer and write its line. Of what was no request the scope has no method and no path."""
    route = getattr(scope.get("route"), "path", "other")
    metrics.requests.labels(route, str(status)).inc()
    metrics.seconds.labels(route).observe(seconds)
    if log.isEnabledFor(logging.INFO) and not (route in _PROBES and status == 200):
        told = {
            "id": request_id,
            "client": scope["client"][0] if scope.get("client") else None,
            "method": scope.get("method", "")[:16],
            "path": scope.get("path", "")[:_LONGEST_PATH],
            "status": status,
            "bytes": length,
            "seconds": round(seconds, 4),
        }
        log.info("%s", json.dumps(told))
