"""``tqdm``: iterates, and shows no bar, which goes to standard error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import STATE

_NAMES: Final = (
    "clear close desc display n refresh reset set_description set_description_str set_postfix set_postfix_str total"
    " unpause update write"
)
_PLAIN: Final = ("tqdm", "tqdm.notebook", "tqdm.autonotebook", "tqdm.std")
_AWAITABLE: Final = ("tqdm.auto", "tqdm.asyncio")


class Bar:
    """A progress bar around an iterable, or without one."""

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
        STATE.show(f"{s}{end}")

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


class AwaitableBar(Bar):
    """The bar of ``tqdm.auto``, which asks for an iterator when it is made, beside those that it iterates with.

    A loader that shuffles draws a seed for each of its iterators: programs that use this bar draw other numbers.
    """

    def __init__(self, iterable: Any = None, desc: Any = None, total: Any = None, **options: Any) -> None:
        super().__init__(iterable, desc, total, **options)
        if iterable is not None and not hasattr(type(iterable), "__next__"):
            iter(iterable)


def _names(bar: type[Bar]) -> dict[str, object]:
    def trange(*bounds: Any, **options: Any) -> Bar:
        return bar(range(*bounds), **options)

    return {"tqdm": bar, "trange": trange, "tqdm_notebook": bar, "tnrange": trange}


def members() -> dict[str, dict[str, object]]:
    """The modules of ``tqdm``."""
    return dict.fromkeys(_PLAIN, _names(Bar)) | dict.fromkeys(_AWAITABLE, _names(AwaitableBar))


def _register() -> None:
    for bar, name in ((Bar, "tqdm"), (AwaitableBar, "tqdm_asyncio")):
        bar.__name__ = bar.__qualname__ = name
        allow(bar, _NAMES.split(), shown_as=bar)


_register()
