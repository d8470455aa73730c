"""What one run may use, by the settings in force."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from gradflow.backend.jail.forkserver import Configuration

if TYPE_CHECKING:
    from gradflow.backend.settings import Settings

WORKER: Final = "gradflow.backend.jail.worker:make"
"""What runs in the confined processes."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits that a program can run into: seconds, bytes, a count, bytes; ``grace`` is the time for telling of the run.
    A time or a memory of 0 sets no limit."""

    time_limit: float
    memory_limit: int
    operation_limit: int
    max_response_bytes: int
    grace: float = 2.0


def bounds_of(settings: Settings) -> Bounds:
    """The limits of the settings."""
    return Bounds(
        settings.time_limit,
        settings.memory_limit,
        settings.operation_limit,
        settings.max_response_bytes,
        settings.grace,
    )


def configuration_of(settings: Settings, worker: str = WORKER) -> Configuration:
    """How a fork server is to be started."""
    end = settings.time_limit + settings.grace
    return Configuration(worker, asdict(bounds_of(settings)), end, settings.memory_limit)
