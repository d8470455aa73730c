"""What a reader asks of a picture."""

from __future__ import annotations

from typing import Final, NamedTuple

from gradflow.engine.picture.palette import Theme


class View(NamedTuple):
    """``turn``: which turn of the loops that are drawn turn by turn, from 1; the last by default. ``step``: how many steps of
    the backward pass have been made, from 0; all by default."""

    theme: Theme = "light"
    turn: int | None = None
    step: int | None = None


WHOLE: Final = View()
"""The last turn, with all that its pass did, in light colours."""
