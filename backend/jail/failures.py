"""Why there is no answer although the program is not to blame.

JailError
├── Full         every place and every seat in the waiting room is taken
└── Unavailable  the fork server does not come up, or the machine has no room for one more process
"""

from __future__ import annotations


class JailError(Exception):
    """No answer, and the program is not to blame."""


class Full(JailError):
    """``retry_after`` is a guess in seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("All places are taken.")
        self.retry_after = retry_after


class Unavailable(JailError):
    """The processes cannot be had."""


class Lost(Exception):
    """The fork server went away during a run: the request can be put to its successor."""


class Unborn(Exception):
    """A process ended before it was given its request: another one can take it."""
