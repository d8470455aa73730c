"""What the routes ask for: a trace or a picture of a program, run in the jail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson

from gradflow.backend.jail import outcome, wire
from gradflow.backend.jail.forkserver import Configuration
from gradflow.backend.jail.jail import Jail
from gradflow.backend.jail.wire import Answer, Killed
from gradflow.backend.settings import Settings
from gradflow.engine.dot import Theme
from gradflow.engine.run import InvalidRequest


class WorkerFailed(Exception):
    """The engine raised where it must not; the message is its traceback."""


class Service:
    """Runs programs by the settings in force. A request is the arguments of `gradflow.engine.run.run`."""

    def __init__(self, settings: Settings, worker: str = "gradflow.backend.jail.worker:make") -> None:
        self.bounds = outcome.Bounds(
            settings.time_limit, settings.memory_limit, settings.operation_limit, settings.max_response_bytes
        )
        end = settings.time_limit + settings.grace
        configuration = Configuration(worker, asdict(self.bounds), end, settings.memory_limit)
        places, seats, spares = settings.concurrency, settings.queue, settings.spares
        self.jail = Jail(configuration, places=places, seats=seats, spares=spares)

    async def trace(self, request: Mapping[str, Any]) -> bytes:
        """The trace, as JSON."""
        result = await self._ask({"product": "trace", "arguments": request})
        if isinstance(result, Killed):
            return outcome.to_json(outcome.of_killed(request["source"], result, self.bounds))
        return result.payload

    async def dot(self, request: Mapping[str, Any], theme: Theme, turn: int | None, most: int) -> bytes:
        """The picture, in Graphviz's language. `InvalidRequest` when the program left nothing to draw, no such turn, or too much."""
        drawn = {"theme": theme, "turn": turn, "most": most}
        result = await self._ask({"product": "dot", **drawn, "arguments": request})
        if isinstance(result, Killed):
            error = outcome.of_killed(request["source"], result, self.bounds).error
            assert error is not None
            raise InvalidRequest(f"There is nothing to draw: {error.type}: {error.message}", "source")
        return result.payload

    async def _ask(self, request: dict[str, object]) -> Answer | Killed:
        result = await self.jail.run(orjson.dumps(request), longest=self.bounds.max_response_bytes)
        if isinstance(result, Answer) and result.kind == wire.INVALID:
            reason = orjson.loads(result.payload)
            raise InvalidRequest(reason["message"], *reason["location"])
        if isinstance(result, Answer) and result.kind == wire.FAILED:
            raise WorkerFailed(result.payload.decode(errors="replace"))
        return result
