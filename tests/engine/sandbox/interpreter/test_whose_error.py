"""Whose an error is that ends a run."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run
from gradflow.engine.sandbox.library.files.store import files

MADE = "import os, pathlib, zipfile\nos.makedirs('d/e')\nopen('a', 'w').close()\n"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("open('a', 'x')", "FileExistsError"),
        ("zipfile.ZipFile('a', 'x')", "FileExistsError"),
        ("os.mkdir('d')", "FileExistsError"),
        ("os.makedirs('d/e')", "FileExistsError"),
        ("pathlib.Path('d').mkdir()", "FileExistsError"),
        ("os.rmdir('d')", "OSError"),
        ("open('d')", "IsADirectoryError"),
        ("open('d', 'w')", "IsADirectoryError"),
        ("import importlib.metadata as m\nm.version('nothing')", "PackageNotFoundError"),
        (
            "import warnings\nclass W(OSError, Warning): pass\nwarnings.simplefilter('error')\nwarnings.warn(W(5, 'x'))",
            "W",
        ),
        ("raise OSError(5, 'x')", "OSError"),
        ("def g():\n    yield 1\ng().throw(OSError(5, 'x'))", "OSError"),
        (
            "from contextlib import ExitStack\nwith ExitStack() as s:\n    s.callback(lambda: open('a', 'x'))",
            "FileExistsError",
        ),
    ],
)
def test_errors_of_the_stand_ins_are_the_programs(source: str, kind: str) -> None:
    error = run(MADE + source).error
    assert error is not None
    assert error.type.rpartition(".")[2] == kind


@pytest.mark.parametrize("error", [OSError(24, "Too many open files"), ModuleNotFoundError("numpy.missing")])
def test_what_fails_in_the_engine_is_the_engines(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened() -> None:
        raise error

    monkeypatch.setattr(type(files()), "make", lambda *given: opened())
    with pytest.raises(type(error)):
        run("import os\nos.mkdir('d')")
