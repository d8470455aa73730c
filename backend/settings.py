"""What an operator can set. Every field is an environment variable with the prefix ``GRADFLOW_``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1024 * 1024
_ORIGIN = r"https?://(\*\.)?[A-Za-z0-9.-]+(:[0-9]{1,5})?"


def _default_concurrency() -> int:
    """More runs than cores: a program that spins until its time limit must not keep the short ones waiting."""
    return max(32, 4 * (os.cpu_count() or 1))


class Settings(BaseSettings):
    """Settings of the service. Times are in seconds, sizes in bytes."""

    model_config = SettingsConfigDict(env_prefix="GRADFLOW_", extra="ignore", frozen=True)

    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    static_dir: Path | None = Field(
        default=None, description="Folder of the built playground; found by itself when unset."
    )
    lessons: Path | None = Field(default=None, description="Folder of lessons of your own, shown before Gradflow's.")
    examples: Path | None = Field(default=None, description="Folder of programs of your own, shown before the gallery.")
    title: str = Field(default="", max_length=120, description="What the page is called, beside its own name.")

    embed_origins: str | None = Field(
        default=None,
        pattern=rf"^(\*|{_ORIGIN}( {_ORIGIN})*)?$",
        description="Pages that may frame `/embed`, besides this server's own: `*` for all, or origins separated by spaces.",
    )

    time_limit: float = Field(default=5.0, gt=0, le=600, description="Wall-clock time that a program may run.")
    grace: float = Field(
        default=2.0,
        ge=0,
        le=60,
        description="Time after `time_limit` for handing over the trace; then the process is killed.",
    )
    memory_limit: int = Field(
        default=1024 * MIB, ge=64 * MIB, description="Memory that a program may add to the process."
    )
    operation_limit: int = Field(default=200_000, ge=1, description="Operations that a program may record.")
    max_elements: int = Field(default=4096, ge=1, description="Largest `max_elements` that a request may ask for.")
    max_trace_bytes: int = Field(
        default=16_000_000, ge=500_000, description="Largest `max_bytes` that a request may ask for."
    )
    max_source_bytes: int = Field(default=65_536, ge=1, description="Longest program, as UTF-8.")
    max_body_bytes: int = Field(default=1 * MIB, ge=1024, description="Longest request body.")
    max_response_bytes: int = Field(default=64 * MIB, ge=1024, description="Longest trace.")

    request_time_limit: float = Field(
        default=20.0, gt=0, le=600, description="Time that a client has for the head, and for the body, of a request."
    )
    response_time_limit: float = Field(
        default=60.0, gt=0, le=3600, description="Time that a client has for taking an answer."
    )
    shutdown_time_limit: int = Field(
        default=10, ge=0, le=600, description="Time that runs in progress have to end when the server is stopped."
    )

    concurrency: int = Field(
        default_factory=_default_concurrency,
        ge=1,
        description="Programs run at the same time; 4 per core, at least 32.",
    )
    queue: int = Field(
        default=512, ge=0, description="Requests that may wait for a free place; beyond it the answer is 503."
    )
    spares: int = Field(default=2, ge=0, le=64, description="Processes kept ready for the next programs.")
    programs_per_process: int = Field(
        default=50,
        ge=1,
        description="Plain programs that one process may run, one after the other; 1 gives each program a process of its own.",
    )
    cache_bytes: int = Field(
        default=16 * MIB, ge=0, description="Memory for answers that are given again to equal requests; 0 keeps none."
    )
    cache_seconds: float = Field(default=300.0, ge=0, description="How long such an answer is given.")
    rate_limit: int = Field(default=0, ge=0, description="Runs per minute and client address; 0 sets no limit.")

    database_url: str = Field(
        default="",
        repr=False,
        description="Where short links are kept: `sqlite:////data/gradflow.sqlite3`, `postgresql://...`, or `none`;"
        " a file in the user's folder for data when unset.",
    )
    max_link_bytes: int = Field(default=100_000, ge=100, description="Longest fragment of a short link.")
    links_per_day: int = Field(
        default=500, ge=0, description="New short links that one client may store in a day; 0 sets no limit."
    )
    max_links_bytes: int = Field(
        default=1024 * MIB, ge=0, description="Room that short links may take; 0 sets no limit."
    )
    link_days: int = Field(
        default=0,
        ge=0,
        description="Days after which a short link is forgotten, unless it was stored again; 0 keeps it.",
    )

    render_time_limit: float = Field(
        default=10.0, gt=0, le=600, description="Wall-clock time that making PNG or PDF may take."
    )
    render_memory_limit: int = Field(
        default=1024 * MIB, ge=128 * MIB, description="Memory that making PNG or PDF may take."
    )
    render_elements: int = Field(default=1000, ge=1, description="Tensors and functions that a picture may have.")
    render_concurrency: int = Field(default=2, ge=1, description="Pictures drawn at the same time.")


def read_settings(warn: Callable[[str], object], **given: Any) -> Settings:
    """The settings in force: those given, before those of the environment. Calls ``warn`` for each misspelt variable.

    Raises pydantic's ValidationError for a value that makes no sense.
    """
    for message in _misspelt():
        warn(message)
    return Settings(**given)


def _misspelt() -> Iterator[str]:
    """What to say about variables of the environment that look like settings and are none."""
    prefix = "GRADFLOW_"
    known = [name.upper() for name in Settings.model_fields]
    for variable in sorted(os.environ):
        name = variable.upper().removeprefix(prefix)
        if variable.upper().startswith(prefix) and name not in known:
            close = get_close_matches(name, known, n=1)
            yield f"{variable} is not a setting" + (f"; did you mean {prefix}{close[0]}?" if close else "")
