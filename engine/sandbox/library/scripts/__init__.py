"""What scripts and notebooks carry along besides the mathematics: arguments, logs, progress bars, plots, paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from gradflow.engine.sandbox.library.scripts import (
    archives,
    arguments,
    calls,
    inspection,
    logs,
    paths,
    pickles,
    progress,
    settings,
    small_modules,
    tables,
)
from gradflow.engine.sandbox.stand_ins import LateModule


def members(write: Callable[[str], None], write_error: Callable[[str], None]) -> dict[str, Mapping[str, object]]:
    """The modules by name with what is in them, fresh for one run that prints by ``write``."""
    return {
        "argparse": arguments.members(write, write_error),
        "zipfile": archives.members(),
        "configparser": settings.members(),
        "logging": logs.members(),
        "pathlib": paths.members(),
        "pickle": pickles.members(),
        **progress.members(),
        **inspection.members(),
        **tables.members(),
        **small_modules.members(),
    }


def late_modules(namespace: dict[str, object]) -> dict[str, object]:
    """The modules that are loaded when a program with these global names asks for them."""
    return {
        **{name: LateModule(name, partial(dict, members)) for name, members in calls.members(namespace).items()},
        "datetime": LateModule("datetime", _dates),
        "pytest": LateModule("pytest", _pytest),
        "unittest": LateModule("unittest", partial(_unit_tests, namespace)),
    }


def _dates() -> Mapping[str, object]:
    from gradflow.engine.sandbox.library.scripts import dates

    return dates.members()


def _unit_tests(namespace: dict[str, object]) -> Mapping[str, object]:
    from gradflow.engine.sandbox.library.scripts import unit_tests

    return unit_tests.members(namespace)


def _pytest() -> Mapping[str, object]:
    from gradflow.engine.sandbox.library.scripts import names_of_checks

    return names_of_checks.members()
