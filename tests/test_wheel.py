"""Tests of what is handed out: the wheel, built from the source distribution."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[1]
NOT_TESTS = ("gradflow/engine/namespace/testing.py", "gradflow/engine/sandbox/library/scripts/unit_tests.py")
"""What programs import as `torch.testing` and `unittest`."""
PARTS = (
    "engine",
    "backend",
    "src",
    "examples",
    "lessons",
    "scripts",
    "pyproject.toml",
    "README.md",
    "LICENSE",
    ".gitignore",
)


def run(folder: Path, *command: str | Path) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(command, cwd=folder, capture_output=True, env={**os.environ, "PATH": path}, check=True)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with a page of its own."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        source, target = ROOT / part, folder / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "playground")
            shutil.copytree(source, target, symlinks=True, ignore=ignored)
        else:
            shutil.copy(source, target)
    (folder / "frontend" / "dist" / "assets").mkdir(parents=True)
    (folder / "frontend" / "dist" / "index.html").write_text("<!doctype html>")
    (folder / "frontend" / "dist" / "assets" / "index-1a2b.js").write_text("// script")
    return folder


@pytest.fixture(scope="module")
def wheel(checkout: Path) -> Path:
    run(checkout, "scripts/wheel", "dist")
    (built,) = (checkout / "dist").glob("*.whl")
    return built


def test_it_is_the_same_from_the_source_distribution_and_from_the_checkout(checkout: Path, wheel: Path) -> None:
    assert not (checkout / "backend" / "playground").exists()
    shutil.copytree(checkout / "frontend" / "dist", checkout / "backend" / "playground")
    run(checkout, "hatchling", "build", "-t", "wheel", "-d", "direct")
    assert (checkout / "direct" / wheel.name).read_bytes() == wheel.read_bytes()


def test_it_holds_one_package_and_nothing_of_the_tests(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {"gradflow", f"{wheel.name.partition('-py3')[0]}.dist-info"}
    assert {name.split("/")[1] for name in names if name.startswith("gradflow/")} == {
        "__init__.py",
        "__main__.py",
        "py.typed",
        "backend",
        "engine",
    }
    assert not [name for name in names if "test" in Path(name).stem and name not in NOT_TESTS]


def test_it_holds_every_module_the_gallery_and_the_page(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    for room in ("engine", "backend"):
        files = [file for file in (ROOT / room).rglob("*") if file.is_file() and "__pycache__" not in file.parts]
        assert {f"gradflow/{file.relative_to(ROOT)}" for file in files if "playground" not in file.parts} <= names
    assert {f"gradflow/engine/gallery/{file.name}" for file in (ROOT / "examples").iterdir()} <= names
    built_in = "gradflow/backend/lessons/built_in"
    assert {f"{built_in}/{file.name}" for file in (ROOT / "lessons").iterdir()} <= names
    page = {"index.html", "assets/index-1a2b.js"}
    assert {f"gradflow/backend/playground/{file}" for file in page} <= names


def test_it_is_not_built_without_the_page(checkout: Path) -> None:
    (checkout / "frontend" / "dist" / "index.html").unlink()
    done = subprocess.run([checkout / "scripts" / "wheel", "dist"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "wheel: the page is not built: make build\n")
