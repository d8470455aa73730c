"""Packages that draw, and those that bring data: accepted where nothing depends on them.

Whatever is called in ``matplotlib`` and its like gives a `Drawing`, on which again everything can be called: a program that
plots runs, and its plots are not drawn. Of ``torchvision`` and its like everything can be named and composed; what would
hold data or weights says that there are none here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from gradflow.engine import errors
from gradflow.engine.sandbox.classes.absent import PackagePart, TypelessPart
from gradflow.engine.sandbox.gate import Module, allow, is_public

_DRAWING: Final = (
    "matplotlib",
    "mpl_toolkits",
    "seaborn",
    "pylab",
    "IPython",
    "plotly",
    "PIL",
    "ipywidgets",
    "torchviz",
    "tensorboardX",
    "wandb",
    "google",
)
_FETCHING: Final = ("torchvision", "torchaudio", "torchtext", "datasets", "tensorflow_datasets")
_IN_LISTS: Final = frozenset({"plot", "semilogy", "semilogx", "loglog", "fill"})
"""What gives a list of lines: ``line, = plt.plot(x)``."""


class Drawing(PackagePart):
    """Something of a package that draws."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._settings: dict[Any, Any] = {}

    def __call__(self, *given: Any, **named: Any) -> Any:
        name = self._title.rpartition(".")[2]
        if name == "subplots":
            return Drawing("Figure"), _axes(*given, **named)
        if name == "hist":
            return np.zeros(1), np.zeros(2), Drawing("hist")
        return [Drawing("line")] if name in _IN_LISTS else Drawing(name)

    def __getitem__(self, key: Any) -> Any:
        return self._settings.get(key, Drawing(self._title))

    def __setitem__(self, key: Any, value: Any) -> None:
        self._settings[key] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __enter__(self) -> Drawing:
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def __repr__(self) -> str:
        return f"<{self._title}, not drawn>"


class Axes:
    """The axes of ``subplots`` in rows and columns, as matplotlib's array has them."""

    def __init__(self, drawings: np.ndarray) -> None:
        self._drawings = drawings

    def __getitem__(self, key: Any) -> Any:
        return _grid(self._drawings[key])

    def __iter__(self) -> Iterator[Any]:
        return map(_grid, self._drawings)

    def __len__(self) -> int:
        return len(self._drawings)

    def ravel(self) -> Axes:
        """All of them in one row."""
        return Axes(self._drawings.ravel())

    flatten = ravel

    def reshape(self, *shape: Any) -> Axes:
        """Other rows and columns."""
        return Axes(self._drawings.reshape(*shape))

    def transpose(self) -> Axes:
        """Columns as rows."""
        return Axes(self._drawings.T)

    def tolist(self) -> Any:
        """Lists of rows."""
        return self._drawings.tolist()

    T, flat = property(transpose), property(ravel)
    shape = property(lambda self: self._drawings.shape)
    size = property(lambda self: self._drawings.size)
    ndim = property(lambda self: self._drawings.ndim)


def _grid(found: Any) -> Any:
    return Axes(found) if isinstance(found, np.ndarray) else found


def _axes(nrows: int = 1, ncols: int = 1, *given: Any, squeeze: bool = True, **named: Any) -> Any:
    """The axes of ``subplots``: one alone, a row, or a grid."""
    if nrows * ncols > _MOST_AXES:
        raise errors.CALL_REFUSED(name="more than 400 axes")
    axes = np.empty((nrows, ncols), object)
    for place in np.ndindex(nrows, ncols):
        axes[place] = Drawing("Axes")
    return Axes(axes) if not squeeze else axes.item() if axes.size == 1 else Axes(axes.squeeze())


_MOST_AXES: Final = 400


class Elsewhere(TypelessPart):
    """Something of a package whose data would come from the network."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        if ".transforms." in self._title and not self._title.endswith("()"):
            return Elsewhere(f"{self._title}()")
        raise (errors.MODEL_ELSEWHERE if ".models." in self._title else errors.DATA_ELSEWHERE)(name=self._title)

    def __repr__(self) -> str:
        return f"<{self._title}, not available>"


def displayer(write: Callable[[str], None]) -> Callable[..., None]:
    """``display`` of a notebook: values as they are printed there; drawings are not drawn."""

    def display(*objs: Any, **options: Any) -> None:
        for each in objs:
            if not isinstance(each, Drawing | Axes):
                write(f"{each!r}\n")

    return display


def packages(write: Callable[[str], None]) -> dict[str, object]:
    """The packages by name, for a run that prints by ``write``."""
    shown = {
        name: Drawing(name)
        for name in ("HTML", "Image", "Latex", "Markdown", "Math", "SVG", "Video", "YouTubeVideo", "Audio")
    }
    display = Module("IPython.display", {"display": displayer(write), "clear_output": lambda wait=False: None, **shown})
    made: dict[str, object] = {name: Drawing(name) for name in _DRAWING}
    return {**made, **{name: Elsewhere(name) for name in _FETCHING}, "IPython.display": display}


def _register() -> None:
    allow(Drawing, readable=lambda _, name: is_public(name), writable=is_public)
    allow(Axes, ("T", "flat", "flatten", "ndim", "ravel", "reshape", "shape", "size", "tolist", "transpose"))
    allow(Elsewhere, readable=lambda _, name: is_public(name))


_register()
