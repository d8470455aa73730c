"""Tests of the package as programs import it, and of where its commands can be run."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import httpx
import pytest

import gradflow
from gradflow.backend.pictures import render
from gradflow.backend.settings import Settings
from tests.support.server import serving

MAGIC: dict[render.Format, bytes] = {
    "svg": b"<?xml",
    "png": b"\x89PNG\r\n\x1a\n",
    "pdf": b"%PDF-",
    "dot": b"digraph",
}


@pytest.fixture(scope="module")
def trace() -> gradflow.Trace:
    return gradflow.run("y = x * 2", inputs={"x": [1, 2]}, gradient=[1, 10])


def test_a_run_gives_a_trace(trace: gradflow.Trace) -> None:
    assert isinstance(trace, gradflow.Trace)
    grad = trace.tensors[0].grad
    assert grad is not None
    assert grad.data == [2.0, 20.0]


def test_arguments_that_make_no_sense_are_refused() -> None:
    with pytest.raises(gradflow.InvalidRequest) as raised:
        gradflow.run("y = x * 2", inputs={"x": [[1], [2, 3]]})
    assert (str(raised.value), raised.value.location) == ("the rows are not equally long", ("inputs", "x"))


@pytest.mark.parametrize("file_format", MAGIC)
def test_a_trace_can_be_drawn(trace: gradflow.Trace, file_format: render.Format) -> None:
    assert gradflow.render(trace, file_format).startswith(MAGIC[file_format])


def test_the_themes_differ(trace: gradflow.Trace) -> None:
    assert gradflow.render(trace, "dot", theme="dark") != gradflow.render(trace, "dot")


def test_drawing_where_an_event_loop_runs(trace: gradflow.Trace) -> None:
    async def cell() -> bytes:
        return gradflow.render(trace, "png")

    assert asyncio.run(cell()) == gradflow.render(trace, "png")


def test_what_cannot_be_drawn_is_told(trace: gradflow.Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"^format must be one of svg, png, pdf, dot, not 'gif'$"):
        gradflow.render(trace, "gif")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^theme must be one of light, dark, not 'sepia'$"):
        gradflow.render(trace, theme="sepia")  # type: ignore[arg-type]
    with pytest.raises(gradflow.InvalidRequest, match=r"^There is nothing to draw: the program makes no tensor$"):
        gradflow.render(gradflow.run("x = 1"))
    with pytest.raises(gradflow.RenderError, match=r"^The graph is too large to be drawn within 0\.001 s\.$"):
        gradflow.render(trace, "png", settings=Settings(render_time_limit=0.001))
    monkeypatch.setattr(render, "LONGEST_PICTURE", 1000)
    with pytest.raises(gradflow.RenderError, match=r"^The picture is larger than 0 MiB\.$"):
        gradflow.render(trace, "png")
    assert gradflow.render(trace).endswith(b"</svg>\n")


def test_the_version_is_that_of_the_package() -> None:
    assert gradflow.__version__ == version("gradflow")


def test_what_is_public_is_listed() -> None:
    assert set(gradflow.__all__) <= set(dir(gradflow))
    with pytest.raises(AttributeError, match=r"^module 'gradflow' has no attribute 'trace'$"):
        _ = gradflow.trace  # type: ignore[attr-defined]


def test_types_are_known_to_those_who_import_it(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import gradflow\n\nreveal_type(gradflow.render(gradflow.run('1')))\ngradflow.run(1)\n")
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.splitlines() == [
        'program.py:3: note: Revealed type is "bytes"',
        'program.py:4: error: Argument 1 to "run" has incompatible type "int"; expected "str"  [arg-type]',
        "Found 1 error in 1 file (checked 1 source file)",
    ]


# -- in the folder of somebody whose files have the names of modules ---------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program, and with modules that must not be imported."""
    for name in ("backend/__init__.py", "engine/__init__.py", "ast.py", "numpy.py"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"raise RuntimeError('{name} of the current folder')\n")
    (tmp_path / "program.py").write_text("print(torch.ones(2, requires_grad=True) * 3)\n")
    return tmp_path


SCRIPT = [str(Path(sys.executable).with_name("gradflow"))]
WAYS = pytest.mark.parametrize("way", [SCRIPT, [sys.executable, "-m", "gradflow"]], ids=["script", "module"])
PRINTED = "tensor([3., 3.], grad_fn=<MulBackward0>)\n"


def called(folder: Path, *command: str) -> tuple[int, str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment, check=False)
    return done.returncode, done.stdout, done.stderr


@WAYS
def test_run_anywhere(folder: Path, way: list[str]) -> None:
    assert called(folder, *way, "run", "program.py") == (0, PRINTED, "")


@WAYS
def test_render_anywhere(folder: Path, way: list[str]) -> None:
    assert called(folder, *way, "render", "program.py", "-o", "picture.svg") == (0, "", "")
    assert (folder / "picture.svg").read_bytes().startswith(MAGIC["svg"])


@WAYS
def test_serve_anywhere(folder: Path, way: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    with serving(command=way) as address:
        answer = httpx.post(f"{address}/api/v1/trace", json={"source": "print(torch.ones(2, requires_grad=True) * 3)"})
        picture = httpx.post(f"{address}/api/v1/render", json={"source": "x = torch.ones(2)"})
    assert answer.json()["stdout"] == PRINTED
    assert picture.content.startswith(MAGIC["svg"])


def test_import_anywhere(folder: Path) -> None:
    told = "import gradflow; print(gradflow.__version__)"
    assert called(folder, sys.executable, "-c", told) == (0, f"{gradflow.__version__}\n", "")


def test_use_beside_packages_of_the_same_name(folder: Path) -> None:
    """Where a program imports Gradflow, what stands beside it comes before NumPy and Python's library: that is Python's
    own rule. A person's ``engine`` and ``backend`` are in nobody's way."""
    for name in ("ast.py", "numpy.py"):
        (folder / name).unlink()
    told = "import gradflow; print(gradflow.run('print(1)').stdout, len(gradflow.render(gradflow.run('torch.ones(1)'))) > 99)"
    assert called(folder, sys.executable, "-c", told) == (0, "1\n True\n", "")
