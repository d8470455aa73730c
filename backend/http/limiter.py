"""Runs per minute and client, for a server that stands in the open internet. Off unless set."""

from __future__ import annotations

import math
import time
from ipaddress import ip_address, ip_network

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter
from starlette.exceptions import HTTPException
from starlette.requests import Request


def client_of(request: Request) -> str:
    """Whose request this is: its address, of IPv6 the network, for a household has as many addresses as it likes."""
    host = request.client.host if request.client else "unknown"
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return str(ip_network((address, 64), strict=False)) if address.version == 6 else host


class Limiter:
    """Counts in memory, for this process. ``per_minute`` 0 sets no limit."""

    def __init__(self, per_minute: int) -> None:
        self._item = RateLimitItemPerMinute(per_minute) if per_minute else None
        self._windows = FixedWindowRateLimiter(MemoryStorage()) if per_minute else None

    def hit(self, request: Request) -> None:
        """Count one run. Raises a 429 when it is one too many."""
        if self._item is None or self._windows is None:
            return
        client = client_of(request)
        if not self._windows.hit(self._item, client):
            reset = self._windows.get_window_stats(self._item, client).reset_time
            seconds = max(1, math.ceil(reset - time.time()))
            raise HTTPException(429, "Too many runs from this address.", {"Retry-After": str(seconds)})
