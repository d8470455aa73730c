"""What the routes ask for: a trace or a picture of a program, run in the jail."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

import orjson

from gradflow.backend.answer_cache import AnswerCache, Begun
from gradflow.backend.jail import outcome, wire
from gradflow.backend.jail.answers import Malformed, check_svg, check_text, check_trace, for_the_log, reason_of
from gradflow.backend.jail.bounds import WORKER, bounds_of, configuration_of
from gradflow.backend.jail.conversation import Hold
from gradflow.backend.jail.jail import Jail
from gradflow.backend.jail.plain import is_plain
from gradflow.backend.jail.processes import Launched
from gradflow.backend.jail.waiting_room import WaitingRoom
from gradflow.backend.jail.wire import Answer, Ending, Killed, Report
from gradflow.backend.metrics import Metrics
from gradflow.backend.pictures import render
from gradflow.backend.pictures.font import with_font
from gradflow.backend.settings import Settings
from gradflow.engine.picture.view import View
from gradflow.engine.run import InvalidRequest
from gradflow.engine.trace import Trace

log = logging.getLogger("gradflow.jail")

_AT_ONCE: Final = 4
"""Programs a core that begin within a moment: while one waits for its process, another computes."""
LONGEST_DRAWN: Final = 4 << 20
_BY_CHANCE: Final = tuple(
    b'"code":"%s"' % code.encode()
    for code in ("time-limit", "memory-limit", "killed", "untold", "unexplained", "engine-failed", "memory")
)


def _nothing() -> None:
    pass


class Service:
    """Runs programs by the settings in force. A request is the arguments of `gradflow.engine.run.run`."""

    def __init__(self, settings: Settings, worker: str = WORKER, launched: Launched | None = None) -> None:
        """launched: the fork server, where it has been started already."""
        self.bounds = bounds_of(settings)
        configuration = configuration_of(settings, worker)
        places, seats, spares = settings.concurrency, settings.queue, settings.spares
        self.settings = settings
        self.metrics = Metrics()
        runs = settings.programs_per_process
        self.jail = Jail(
            configuration,
            places=places,
            seats=seats,
            spares=spares,
            runs=runs,
            together=_AT_ONCE * (os.cpu_count() or 1),
            told=self._ended,
            launched=launched,
        )
        self.drawing = WaitingRoom(settings.render_concurrency, settings.queue, settings.render_time_limit)
        self.cache = AnswerCache(settings.cache_bytes, settings.cache_seconds)
        self._watch()

    def _watch(self) -> None:
        room, watch = self.jail.room, self.metrics.watch
        watch("gradflow_queue", "Requests that wait for a place.", lambda: room.waiting)
        watch("gradflow_busy", "Requests at work.", lambda: room.busy)
        watch("gradflow_spares", "Processes kept ready.", lambda: self.jail.waiting_processes)
        watch("gradflow_resting", "Processes that have run plain programs.", lambda: self.jail.resting_processes)
        watch("gradflow_answer_bytes", "Bytes held for large answers.", lambda: self.jail.answers.held)
        watch("gradflow_cache_hits", "Requests answered with what an equal one was answered.", lambda: self.cache.hits)

    def _ended(self, report: Report) -> None:
        self.metrics.cpu.inc(report.cpu)

    async def trace(self, request: Mapping[str, Any], client: str = "", hold: Hold | None = None) -> bytes:
        """The trace, as JSON. client: whose turn it is. hold: keeps room for a large answer until it has been sent."""
        payload = await self.cache.answer(request, lambda begun: self._trace(request, client, begun), _lasts, client)
        if hold is not None:
            await hold.take(len(payload))
        return payload

    async def _trace(self, request: Mapping[str, Any], client: str, begun: Begun) -> bytes:
        source = request["source"]
        longest = min(self.bounds.max_response_bytes, request.get("max_bytes") or self.bounds.max_response_bytes)
        asked: dict[str, object] = {"product": "trace", "arguments": request}
        plain = self.settings.programs_per_process > 1 and is_plain(source, request.get("inputs") or ())
        result = await self._ask(asked, longest, client, begun, plain=plain)
        if isinstance(result, Answer):
            try:
                check_trace(result.payload)
            except Malformed as error:
                result = _unusable(result.payload, error)
            else:
                return result.payload
        return outcome.to_json(self._without_answer(source, result))

    async def picture(
        self,
        request: Mapping[str, Any],
        view: View,
        file_format: render.Format,
        most: int,
        client: str = "",
        framed: Callable[[bytes], bytes] = bytes,
        begun: Begun = _nothing,
    ) -> bytes:
        """The graph of a program, drawn in the jail, and when it is its turn. framed: what becomes of the SVG before it is made
        another kind of file. begun: called when that begins.

        Raises `InvalidRequest` when the program left nothing to draw, no such turn or step, or too much, and RenderError.
        """
        product: Literal["dot", "svg"] = "dot" if file_format == "dot" else "svg"
        drawn = await self._drawn(product, request, view, most, client)
        if file_format == "png" or file_format == "pdf":
            async with self.drawing.place(client), self.jail.room.place(client):
                begun()
                with self.metrics.stages.labels("draw").time():
                    return await render.picture(framed(drawn), file_format, self.settings)
        begun()
        return with_font(drawn) if product == "svg" else drawn

    async def _drawn(
        self, product: Literal["dot", "svg"], request: Mapping[str, Any], view: View, most: int, client: str
    ) -> bytes:
        """What the jail makes of a program."""
        asked: dict[str, object] = {"product": product, **view._asdict(), "most": most, "arguments": request}
        check = check_svg if product == "svg" else check_text
        result = await self._ask(asked, min(LONGEST_DRAWN, self.bounds.max_response_bytes), client)
        if isinstance(result, Answer):
            try:
                check(result.payload)
            except Malformed as error:
                result = _unusable(result.payload, error)
            else:
                return result.payload
        error_record = self._without_answer(request["source"], result).error
        assert error_record is not None
        raise InvalidRequest(f"There is nothing to draw: {error_record.type}: {error_record.message}", "source")

    def _without_answer(self, source: str, result: Killed | None) -> Trace:
        return outcome.failed(source) if result is None else outcome.of_killed(source, result, self.bounds)

    async def _ask(
        self, request: dict[str, object], longest: int, client: str, begun: Begun = _nothing, *, plain: bool = False
    ) -> Answer | Killed | None:
        """None where the engine failed. plain: as `Jail.run` has it."""
        with self.metrics.stages.labels("run").time():
            result = await self.jail.run(
                orjson.dumps(request), longest=longest, client=client, begun=begun, plain=plain
            )
        self.metrics.runs.labels(_outcome(result)).inc()
        if isinstance(result, Killed):
            return result
        if result.note:
            log.error("A stage after a run failed: %s", for_the_log(result.note))
        if result.kind == wire.FAILED:
            log.error("A run failed inside the engine: %s", for_the_log(result.payload))
            return None
        if result.kind == wire.INVALID:
            try:
                reason = reason_of(result.payload)
            except Malformed as error:
                return _unusable(result.payload, error)
            raise InvalidRequest(reason.message, *reason.location)
        return result


def _outcome(result: Answer | Killed) -> str:
    if isinstance(result, Killed):
        return Ending(result.ending).name.lower().replace("_", " ")
    return {wire.ANSWER: "answered", wire.INVALID: "invalid"}.get(result.kind, "failed")


def _lasts(payload: bytes) -> bool:
    """Whether another run would end as this one did: not by how much of the machine there was."""
    return not any(code in payload for code in _BY_CHANCE)


def _unusable(payload: bytes, error: Malformed) -> Killed:
    log.error("A run answered what is no answer: %s (%d bytes)", for_the_log(str(error).encode()), len(payload))
    return Killed(Ending.MALFORMED, 0)
