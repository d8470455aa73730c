"""Runs per minute and client, for a server that stands in the open internet. Off unless set."""

from __future__ import annotations

import math
import time

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.exceptions import HTTPException
from starlette.requests import Request


class Limiter:
    """Counts in memory, for this process. ``per_minute`` 0 sets no limit."""

    def __init__(self, per_minute: int) -> None:
        self._item = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._windows = FixedWindowRateLimiter(MemoryStorage()) if per_minute else None

    def hit(self, request: Request) -> None:
        """Count one run. Raises a 429 when it is one too many."""
        if self._item is None or self._windows is None:
            return
        client = request.client.host if request.client else "unknown"
        if not self._windows.hit(self._item, client):
            reset = self._windows.get_window_stats(self._item, client).reset_time
            seconds = max(1, math.ceil(reset - time.time()))
            raise HTTPException(429, "Too many runs from this address.", {"Retry-After": str(seconds)})
