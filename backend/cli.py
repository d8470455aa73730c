"""gradflow serve | run FILE | render FILE -o PICTURE"""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import sys
import tokenize
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from gradflow.backend.jail import unconfined
from gradflow.backend.pictures import render
from gradflow.backend.settings import Settings
from gradflow.engine.dot import to_dot
from gradflow.engine.trace import ErrorRecord, Trace

_USAGE_ERROR = 2


class Refused(Exception):
    """Something about the command line or a file is wrong; the message is one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0, 1 when the program raised, 2 when it could not be had."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.command(parsed)
        sys.stdout.flush()
    except Refused as error:
        print(f"gradflow: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush on the way out
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gradflow", description="See what PyTorch's backward(gradient) does.")
    commands = parser.add_subparsers(required=True, metavar="serve | run | render")

    serve = commands.add_parser("serve", help="serve the playground and the API")
    serve.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, help="port to listen on (default: 8000)")
    serve.set_defaults(command=_serve)

    program = argparse.ArgumentParser(add_help=False)
    program.add_argument("file", metavar="FILE", help="a PyTorch program; - reads standard input")

    execute = commands.add_parser("run", parents=[program], help="run a program as PyTorch would")
    execute.add_argument("--json", action="store_true", help="print the trace instead of the program's output")
    execute.set_defaults(command=_run)

    draw = commands.add_parser("render", parents=[program], help="draw the graph of a program")
    draw.add_argument("-o", "--output", metavar="PICTURE", type=Path, required=True, help="ends in .svg .png .pdf .dot")
    draw.add_argument("--theme", choices=["light", "dark"], default="light")
    draw.set_defaults(command=_render)
    return parser


def _serve(arguments: argparse.Namespace) -> int:
    import uvicorn

    from gradflow.backend.http.app import create_app

    given = {name: getattr(arguments, name) for name in ("host", "port") if getattr(arguments, name) is not None}
    settings = _settings(**given)
    uvicorn.run(create_app(settings), host=settings.host, port=settings.port, timeout_graceful_shutdown=3)
    return 0


def _settings(**given: str | int) -> Settings:
    try:
        return Settings(**given)  # type: ignore[arg-type]  # pydantic checks them
    except ValidationError as error:
        first = error.errors()[0]
        raise Refused(f"setting {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _run(arguments: argparse.Namespace) -> int:
    trace = _trace(arguments.file)
    if arguments.json:
        from gradflow.backend.jail.outcome import to_json

        sys.stdout.buffer.write(to_json(trace) + b"\n")
    else:
        _say(trace, arguments.file)
    return 1 if trace.error else 0


def _render(arguments: argparse.Namespace) -> int:
    file_format = arguments.output.suffix.lstrip(".").lower()
    if file_format not in get_args(render.Format):
        raise Refused(f"{arguments.output}: the name must end in .svg, .png, .pdf or .dot")
    trace = _trace(arguments.file)
    if trace.error:
        print(last_line(trace.error), file=sys.stderr)
    if trace.tensors:
        _draw(to_dot(trace, theme=arguments.theme).encode(errors="replace"), file_format, arguments.output)
    return 1 if trace.error else 0


def _draw(dot: bytes, file_format: render.Format, output: Path) -> None:
    try:
        output.write_bytes(asyncio.run(render.picture(dot, file_format, _settings())))
    except OSError as error:
        raise Refused(f"{output}: {error.strerror}") from None
    except (render.RenderError, render.NoGraphviz) as error:
        raise Refused(str(error)) from None


def _trace(file: str) -> Trace:
    try:
        return unconfined.run(read_program(file))
    except unconfined.Died as error:
        raise Refused(f"{file}: {error}") from None


def read_program(file: str) -> str:
    """The source text of a file, in the encoding that it declares, or UTF-8."""
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding).replace("\r\n", "\n")
    except OSError as error:
        raise Refused(f"{file}: {error.strerror}") from None
    except (SyntaxError, UnicodeDecodeError) as error:
        raise Refused(f"{file}: {error}") from None


def _say(trace: Trace, file: str) -> None:
    """What the program says under PyTorch: output on stdout, warnings and the uncaught exception on stderr."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout.write(trace.stdout)
    sys.stdout.flush()
    for warning in trace.warnings:
        line = warning.span.line if warning.span else 1
        print(f"{file}:{line}: {warning.category}: {warning.message}", file=sys.stderr)
    if trace.error:
        print(last_line(trace.error), file=sys.stderr)


def last_line(error: ErrorRecord) -> str:
    """As Python ends a traceback."""
    return f"{error.type}: {error.message}" if error.message else error.type
