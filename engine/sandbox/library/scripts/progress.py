"""``tqdm``: iterates, and shows no bar, which goes to standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow

_NAMES: Final = (
    "clear close desc display n refresh reset set_description set_description_str set_postfix set_postfix_str total"
    " unpause update write"
)
_MODULES: Final = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.autonotebook", "tqdm.std")


class Bar:
    """A progress bar around an iterable, or without one. ``print_by`` prints, in the run in progress."""

    print_by: Callable[[str], None]

    def __init__(self, iterable: Any = None, desc: Any = None, total: Any = None, **options: Any) -> None:
        self._iterable, self.desc = iterable, desc
        self.n = options.get("initial", 0)
        self.total = len(iterable) if total is None and hasattr(type(iterable), "__len__") else total

    def __iter__(self) -> Iterator[Any]:
        for each in self._iterable:
            yield each
            self.n += 1

    def __len__(self) -> int:
        return len(self._iterable) if self._iterable is not None else int(self.total or 0)

    def __bool__(self) -> bool:
        return len(self) > 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    @staticmethod
    def write(s: Any, file: Any = None, end: str = "\n", nolock: bool = False) -> None:
        """Print a line."""
        Bar.print_by(f"{s}{end}")

    def update(self, n: Any = 1) -> None:
        """Some more are done."""
        self.n += n

    def reset(self, total: Any = None) -> None:
        """Begin anew."""
        self.n, self.total = 0, self.total if total is None else total

    def set_description(self, desc: Any = None, refresh: bool = True) -> None:
        """The text before the bar."""
        self.desc = desc

    def _shown_nowhere(self, *given: Any, **named: Any) -> None:
        """What changes the picture of the bar only."""

    set_description_str = set_description
    set_postfix = set_postfix_str = refresh = clear = close = display = unpause = _shown_nowhere


def members(write: Callable[[str], None]) -> dict[str, dict[str, object]]:
    """The modules of ``tqdm``."""
    Bar.print_by = staticmethod(write)

    def trange(*bounds: Any, **options: Any) -> Bar:
        return Bar(range(*bounds), **options)

    names: dict[str, object] = {"tqdm": Bar, "trange": trange, "tqdm_notebook": Bar, "tnrange": trange}
    return dict.fromkeys(_MODULES, names)


Bar.__name__ = Bar.__qualname__ = "tqdm"
allow(Bar, _NAMES.split(), shown_as=Bar)
