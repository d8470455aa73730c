"""What fails in the jail because of us is a failure of the server, and never an answer about the program."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import httpx
import pytest

OWNED = ("engine-failed", "Gradflow itself failed while this program ran")
OURS = {
    "变量 = 1": "'unicodedata' was to be imported by ast, line ",
    "import re\ntry:\n    re.compile(r'\\N{BULLET}')\nexcept BaseException:\n    pass": (
        "'unicodedata' was to be imported by re._parser, line "
    ),
    "import math\nmath.cbrt(8)": "PermissionError: [Errno 1] Operation not permitted: '/etc/hostname'\n",
}
"""Program -> what the log says of it. The worker has not loaded `unicodedata`, and its `cbrt` opens a file."""
ITS_OWN = {
    "raise OSError('mine')": ("OSError", "mine"),
    "raise ImportError('mine')": ("ImportError", "mine"),
    "def g(): yield\ng = g()\nnext(g)\ng.throw(PermissionError('mine'))": ("PermissionError", "mine"),
    "import no_such": ("ModuleNotFoundError", "No module named 'no_such'"),
    "'a'.encode('no_such')": ("LookupError", "unknown encoding: no_such"),
    "'a'.encode('mbcs')": ("LookupError", "unknown encoding: mbcs"),
}


def answers(play: Any, sources: Iterable[str]) -> dict[str, httpx.Response]:
    """Of a server with the forgetful worker."""

    async def scene(client: httpx.AsyncClient) -> dict[str, httpx.Response]:
        return {source: await client.post("/api/v1/trace", json={"source": source}) for source in sources}

    answered: dict[str, httpx.Response] = play(scene, worker="tests.support.forgetful:make")
    return answered


def test_a_fault_of_ours_is_logged_and_owned(play: Any, caplog: pytest.LogCaptureFixture) -> None:
    for response in answers(play, OURS).values():
        error = response.json()["error"]
        assert (error["code"], error["message"]) == OWNED
    messages = [record.getMessage() for record in caplog.records if record.name == "gradflow.jail"]
    for (source, reason), message in zip(OURS.items(), messages, strict=True):
        digest = sha256(source.encode()).hexdigest()[:12]
        assert message.startswith(f"A run failed inside the engine: program {digest}: ")
        assert reason.encode("unicode_escape").decode() in message
        assert source not in message


def test_what_a_program_raises_is_its_own(play: Any) -> None:
    errors = {source: response.json()["error"] for source, response in answers(play, ITS_OWN).items()}
    assert {source: (error["type"], error["message"]) for source, error in errors.items()} == ITS_OWN
