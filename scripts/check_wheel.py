"""Install a wheel into an empty environment and use it, far from the checkout.

python scripts/check_wheel.py WHEEL [CONSTRAINTS]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from urllib.request import Request, urlopen

PROGRAM = "import torch\nx = torch.ones(2, requires_grad=True)\nprint(x * 3)\n"
PRINTED = "tensor([3., 3.], grad_fn=<MulBackward0>)\n"
IN_THE_WAY = ("backend/__init__.py", "engine/__init__.py", "ast.py", "numpy.py")


def main() -> None:
    """Exits with the first thing that is wrong."""
    wheel, *constraints = (Path(argument).resolve() for argument in sys.argv[1:])
    with tempfile.TemporaryDirectory() as name:
        environment, folder = Path(name) / "environment", Path(name) / "folder"
        venv.create(environment, with_pip=True)
        limits = [part for file in constraints for part in ("-c", str(file))]
        subprocess.run([environment / "bin/python", "-m", "pip", "install", "-q", wheel, *limits], check=True)
        prepare(folder)
        check_commands(environment / "bin/gradflow", folder)
        check_server(environment / "bin/gradflow", folder)
    print(f"{wheel.name} installs and works")


def prepare(folder: Path) -> None:
    """A program, and beside it files with names of modules that must not be imported."""
    for name in IN_THE_WAY:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"raise RuntimeError({name!r})\n")
    (folder / "program.py").write_text(PROGRAM)


def check_commands(gradflow: Path, folder: Path) -> None:
    printed = subprocess.run([gradflow, "run", "program.py"], cwd=folder, capture_output=True, text=True, check=True)
    expect("what run prints", printed.stdout, PRINTED)
    subprocess.run([gradflow, "render", "program.py", "-o", "picture.dot"], cwd=folder, check=True)
    expect("the picture", (folder / "picture.dot").read_text()[:7], "digraph")
    subprocess.run([gradflow, "render", "program.py", "-o", "picture.png"], cwd=folder, check=True)
    expect("the picture for slides", (folder / "picture.png").read_bytes()[:4], b"\x89PNG")


def check_server(gradflow: Path, folder: Path) -> None:
    command = [gradflow, "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            found = next(filter(None, (re.search(r"running on (http://\S+)", line) for line in server.stderr)))
            check_routes(found[1])
        finally:
            server.terminate()


def check_routes(address: str) -> None:
    page = got(f"{address}/")
    scripts = re.findall(r'src="\./(assets/[^"]+\.js)"', page)
    expect("scripts of the page", len(scripts), 1)
    began = re.findall(r"\./(start-[\w-]+\.js)", got(f"{address}/{scripts[0]}"))
    expect("what the script begins with", bool(began), True)
    expect("the page itself", len(got(f"{address}/assets/{began[0]}")) > 10_000, True)
    expect("examples", len(json.loads(got(f"{address}/api/v1/examples"))) > 20, True)
    expect("the documentation", "swagger-ui" in got(f"{address}/docs"), True)
    expect("the page", json.loads(got(f"{address}/healthz"))["playground"], True)
    request = Request(f"{address}/api/v1/trace", json.dumps({"source": PROGRAM}).encode())
    request.add_header("Content-Type", "application/json")
    expect("what the server prints", json.loads(got(request))["stdout"], PRINTED)


def got(address: str | Request) -> str:
    with urlopen(address, timeout=30) as response:
        content: bytes = response.read()
    return content.decode()


def expect(what: str, found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"{what}: {found!r} instead of {wanted!r}")


if __name__ == "__main__":
    main()
