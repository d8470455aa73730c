"""A real server, a real browser."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

PATIENCE_MS = 60_000
"""The longest wait for a state. It only ends a test that has failed, so that a busy machine needs no other number."""

expect.set_options(timeout=PATIENCE_MS)

ROOT = Path(__file__).parents[2]
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    """The address of a server that serves the built page."""
    command = [sys.executable, "-m", "gradflow", "serve", "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes) as server:
        assert server.stderr is not None
        try:
            yield _address(server.stderr)
        finally:
            server.terminate()
            server.stderr.close()


def _address(log: Any) -> str:
    """Where the server listens: it says so when it does."""
    lines = []
    for line in log:
        lines.append(line)
        if found := re.search(r"running on (http://\S+)", line):
            return found[1]
    raise RuntimeError("the server did not start:\n" + "".join(lines))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium where there is one, playwright's elsewhere."""
    installed = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed, args=ARGUMENTS)
        yield browser
        browser.close()


OpenPage = Callable[..., Page]


def visited(url: str) -> Any:
    """What a browser keeps of a reader who has been here before."""
    kept = {"origin": url.rstrip("/"), "localStorage": [{"name": "gradflow.visited", "value": "1"}]}
    return {"cookies": [], "origins": [kept]}


@pytest.fixture
def complaints() -> list[str]:
    """What the console reported as an error. A test that provokes some takes them out."""
    return []


@pytest.fixture
def open_page(browser: Browser, url: str, complaints: list[str]) -> Iterator[OpenPage]:
    """Opens the page: ``open_page("step=4", width=390, color_scheme="dark")``. Errors in the console fail the test.

    Its reader has been here before, unless it is the ``first_visit``.
    """
    contexts: list[BrowserContext] = []

    def open_page(
        fragment: str = "", *, width: int = 1440, height: int = 900, first_visit: bool = False, **options: Any
    ) -> Page:
        defaults = {"locale": "en-US", "storage_state": None if first_visit else visited(url)}
        context = browser.new_context(viewport={"width": width, "height": height}, **{**defaults, **options})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.goto(f"{url}/#{fragment}" if fragment else url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """The page as a new reader finds it."""
    return open_page()
