"""A connection as uvicorn serves it, with limits on the patience of the server.

A client has a time for the head of a request, one for its body, and one for taking the answer. One that has closed its
side for writing gets its answer all the same. Whether it is still there is asked for by ``100 Continue``, which clients
pass over: the machine of one that has gone answers that there is nobody, and its run is ended.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final, cast

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from gradflow.backend.http.problems import MEDIA_TYPE, problem
from gradflow.backend.http.requests_log import HEADER, REFUSED, REQUEST_ID, new_id, note
from gradflow.backend.metrics import Metrics
from gradflow.backend.settings import Settings

_PROBE: Final = 0.2


class Connection(H11Protocol):
    """See the module. The limits are those of `connection_of`."""

    request_time: float
    response_time: float
    metrics: Metrics
    _began = 0.0
    _patience: asyncio.TimerHandle | None = None
    _reading: asyncio.TimerHandle | None = None
    _probing: asyncio.TimerHandle | None = None
    _half_closed = False
    _stage = ""

    # -- the request

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn does
        super().connection_made(transport)
        self._await("head")

    def data_received(self, data: bytes) -> None:
        if self._between_requests():
            self._await("head")
        super().data_received(data)
        if self._between_requests():
            return
        self._await("body" if self.cycle.more_body else "")

    def on_response_complete(self) -> None:
        self._await("")
        self._stop_reading_clock()
        super().on_response_complete()
        if self._half_closed:
            self.transport.close()

    def _between_requests(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _await(self, stage: str) -> None:
        """Give the client its time for the head or the body of a request; "" when all of it is here."""
        if stage == self._stage:
            return
        self._stage = stage
        if stage == "head":
            self._began = time.perf_counter()
        if self._patience is not None:
            self._patience.cancel()
        self._patience = self.loop.call_later(self.request_time, self._expired) if stage else None

    def _expired(self) -> None:
        if self.transport.is_closing():
            return
        waits = self.cycle is not None and not self.cycle.response_complete
        self._refuse(408, f"The request did not come within {self.request_time:g} seconds.")
        if waits:
            self.cycle.disconnected = True
            self.cycle.message_event.set()

    def send_400_response(self, msg: str) -> None:
        """As every error of the API."""
        self._refuse(400, msg)

    def _refuse(self, status: int, detail: str) -> None:
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = bytes(problem(status, detail).body)
            request_id = self._told(status, len(body))
            headers = [
                (b"content-type", MEDIA_TYPE.encode()),
                (b"content-length", str(len(body)).encode()),
                (HEADER.lower().encode(), request_id.encode()),
                (b"connection", b"close"),
            ]
            events: list[Any] = [
                h11.Response(status_code=status, headers=headers, reason=STATUS_PHRASES[status]),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ]
            for event in events:
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _told(self, status: int, length: int) -> str:
        """The id of a request that is refused. It is noted by the application where that has begun with it, else here."""
        under_way = {} if self._between_requests() else cast("dict[str, Any]", self.cycle.scope)
        if REQUEST_ID in under_way:
            under_way[REFUSED] = status, length
            return str(under_way[REQUEST_ID])
        request_id = new_id()
        scope: dict[str, Any] = {"client": self.client}
        note(self.metrics, scope, request_id, status, length, time.perf_counter() - self._began)
        return request_id

    # -- the answer

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._reading is None:
            self._reading = self.loop.call_later(self.response_time, self.transport.abort)

    def _stop_reading_clock(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    # -- the end

    def eof_received(self) -> bool:  # type: ignore[override]  # uvicorn has no use for half a connection
        """Whether the connection stays open for writing."""
        whole = not self._between_requests() and not self.cycle.more_body
        self._half_closed = True
        if whole:
            self._probe()
        return whole

    def _probe(self) -> None:
        if self._between_requests() or self.transport.is_closing() or self.conn.our_state is not h11.SEND_RESPONSE:
            return
        if self.conn.their_http_version != b"1.0":
            self.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        self._probing = self.loop.call_later(_PROBE, self._probe)

    def connection_lost(self, exc: Exception | None) -> None:
        self._await("")
        self._stop_reading_clock()
        if self._probing is not None:
            self._probing.cancel()
        super().connection_lost(exc)


def connection_of(settings: Settings, metrics: Metrics) -> Callable[..., Connection]:
    """The class of connections with the limits of these settings. metrics: where their own answers are counted."""
    limits = {"request_time": settings.request_time_limit, "response_time": settings.response_time_limit}
    return type("Connection", (Connection,), {**limits, "metrics": metrics})
