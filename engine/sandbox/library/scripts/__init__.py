"""What scripts and notebooks carry along besides the mathematics: arguments, logs, progress bars, plots, paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from gradflow.engine.sandbox.library.scripts import arguments, dates, inspection, logs, paths, pickles, progress, tables


def members(write: Callable[[str], None]) -> dict[str, Mapping[str, object]]:
    """The modules by name with what is in them, fresh for one run that prints by ``write``."""
    return {
        "argparse": arguments.members(write),
        "datetime": dates.members(),
        "logging": logs.members(),
        "pathlib": paths.members(),
        "pickle": pickles.members(),
        **progress.members(write),
        **inspection.members(),
        **tables.members(),
    }
