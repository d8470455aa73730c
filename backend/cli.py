"""The command line: ``gradflow serve``, ``gradflow run FILE``, ``gradflow render FILE -o PICTURE``, ``gradflow lessons check DIR``."""

from __future__ import annotations

import argparse
import io
import logging
import os
import sys
import tokenize
from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from gradflow import __version__
from gradflow.backend import cli_lessons
from gradflow.backend.cli_request import BadOption, add_options, arguments_of, option
from gradflow.backend.jail import unconfined
from gradflow.backend.jail.bounds import configuration_of
from gradflow.backend.jail.processes import Launched, launch
from gradflow.backend.lessons.course import BadLessons
from gradflow.backend.pictures import render
from gradflow.backend.settings import Settings, read_settings
from gradflow.engine import errors
from gradflow.engine.examples import BadExamples
from gradflow.engine.picture.contents import NothingToDraw
from gradflow.engine.run import InvalidRequest
from gradflow.engine.trace import ErrorRecord, Trace

_USAGE_ERROR = 2
_SERVED = ("host", "port", "lessons", "examples", "title")

_EXAMPLES = """examples:
  gradflow serve                          the playground at http://127.0.0.1:8000
  gradflow run program.py                 what the program prints under PyTorch
  gradflow render program.py -o out.svg   its graph, with values and gradients

gradflow COMMAND --help tells more."""

_SERVE_EXAMPLES = """examples:
  gradflow serve
  gradflow serve --host 0.0.0.0 --port 80             for everyone who reaches this machine
  gradflow serve --lessons my_lessons --title 'Week 3'  with lessons of your own (docs/teaching.md)
  GRADFLOW_TIME_LIMIT=5 gradflow serve                 any setting of docs/api.md is a variable"""

_RUN_EXAMPLES = """examples:
  gradflow run program.py
  echo 'print(torch.ones(2) * 3)' | gradflow run -
  gradflow run --json program.py > trace.json
  echo 'c = a @ b' | gradflow run --json --input 'a=[[1, 2]]' --input 'b=[[3], [4]]' --gradient '[[10]]' -

exit status: 0; 1 when the program raised; 2 when it could not be run"""

_RENDER_EXAMPLES = """examples:
  gradflow render program.py -o graph.svg
  gradflow render program.py -o graph.png --theme dark
  echo 'y = (x ** 2).sum()' | gradflow render --input 'x=[1, 2, 3]' -o graph.pdf -

exit status: 0; 1 when the program raised (the picture shows how far it came) or left nothing to draw;
2 when the program or the picture could not be had"""


class Refused(Exception):
    """Something about the command line or a file is wrong; the message is one line."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Exit status: 0; 1 when the program raised or left nothing to draw; 2 when program or picture could not be had."""
    parsed = _parser().parse_args(arguments)
    try:
        status: int = parsed.command(parsed)
        sys.stdout.flush()
    except (Refused, BadOption, BadLessons) as error:
        print(f"gradflow: {error}", file=sys.stderr)
        return _USAGE_ERROR
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush on the way out
        return 1
    except KeyboardInterrupt:
        return 130
    return status


def _parser() -> argparse.ArgumentParser:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        prog="gradflow",
        description="See what PyTorch's backward(gradient) does.",
        epilog=_EXAMPLES,
        formatter_class=as_written,
    )
    parser.add_argument("--version", action="version", version=f"gradflow {__version__}")
    commands = parser.add_subparsers(required=True, metavar="serve | run | render | lessons")

    serve = commands.add_parser(
        "serve", help="serve the playground and the API", epilog=_SERVE_EXAMPLES, formatter_class=as_written
    )
    serve.add_argument("--host", help="address to listen on (default: 127.0.0.1)")
    serve.add_argument("--port", type=int, help="port to listen on (default: 8000)")
    serve.add_argument("--lessons", metavar="DIR", help="lessons of your own, shown before Gradflow's")
    serve.add_argument("--examples", metavar="DIR", help="programs of your own, shown before the gallery")
    serve.add_argument("--title", help="what the page is called, beside its own name")
    serve.set_defaults(command=_serve)
    cli_lessons.add_to(commands)

    program = argparse.ArgumentParser(add_help=False)
    program.add_argument("file", metavar="FILE", help="a PyTorch program, or one expression; - reads standard input")
    add_options(program)

    execute = commands.add_parser(
        "run",
        parents=[program],
        help="run a program as PyTorch would",
        epilog=_RUN_EXAMPLES,
        formatter_class=as_written,
    )
    execute.add_argument("--json", action="store_true", help="print the trace instead of the program's output")
    execute.set_defaults(command=_run)

    draw = commands.add_parser(
        "render",
        parents=[program],
        help="draw the graph of a program",
        epilog=_RENDER_EXAMPLES,
        formatter_class=as_written,
    )
    draw.add_argument("-o", "--output", metavar="PICTURE", type=Path, required=True, help="ends in .svg .png .pdf .dot")
    draw.add_argument("--theme", choices=["light", "dark"], default="light")
    draw.add_argument(
        "--turn", type=int, metavar="N", help="which turn of a loop is drawn, from 1; by default the last"
    )
    draw.add_argument(
        "--step",
        type=int,
        metavar="N",
        help="how many steps of the backward pass have been made, from 0; by default all",
    )
    draw.set_defaults(command=_render)
    return parser


def _serve(arguments: argparse.Namespace) -> int:
    given = {name: value for name in _SERVED if (value := getattr(arguments, name)) is not None}
    settings = _settings(**given)
    launched = launch(configuration_of(settings))  # it comes up while the service is imported
    try:
        return _served(settings, launched)
    except (BadLessons, BadExamples) as error:
        raise Refused(str(error)) from None
    finally:
        launched.end()


def _served(settings: Settings, launched: Launched) -> int:
    import uvicorn

    from gradflow.backend.http.app import create_app
    from gradflow.backend.http.connection import connection_of

    app = create_app(settings, launched=launched)
    access = logging.getLogger("gradflow.access")
    access.setLevel(logging.INFO)
    access.addHandler(logging.StreamHandler(sys.stdout))
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        http=connection_of(settings, app.state.service.metrics),  # type: ignore[arg-type]  # uvicorn calls it, whatever makes the protocol
        access_log=False,  # there is one of ours, with the ids of the requests
        timeout_graceful_shutdown=settings.shutdown_time_limit,
    )
    return 0


def _settings(**given: str | int) -> Settings:
    try:
        return read_settings(lambda message: print(f"gradflow: warning: {message}", file=sys.stderr), **given)
    except ValidationError as error:
        first = error.errors()[0]
        raise Refused(f"setting {'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def _run(arguments: argparse.Namespace) -> int:
    trace = _trace(arguments)
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
    settings = _settings()
    trace = _trace(arguments)
    try:
        view = {"theme": arguments.theme, "turn": arguments.turn, "step": arguments.step}
        picture = render.render(trace, file_format, **view, settings=settings)
        arguments.output.write_bytes(picture)
    except NothingToDraw as error:
        print(f"gradflow: {error}", file=sys.stderr)
        return 1
    except InvalidRequest as invalid:
        is_view = invalid.location in (("turn",), ("step",))
        raise Refused(f"{option(invalid.location)}: {invalid}" if is_view else str(invalid)) from None
    except OSError as error:
        raise Refused(f"{arguments.output}: {error.strerror}") from None
    except render.RenderError as error:
        raise Refused(str(error)) from None
    if trace.error:
        print(last_line(trace.error), file=sys.stderr)
    return 1 if trace.error else 0


def _trace(arguments: argparse.Namespace) -> Trace:
    given = arguments_of(arguments, read_program(arguments.file))
    try:
        trace = unconfined.run(**given)
    except InvalidRequest as invalid:
        raise Refused(f"{option(invalid.location)}: {invalid}") from None
    except unconfined.Died as died:
        raise Refused(f"{arguments.file}: {died}") from None
    error = trace.error
    if error and error.code == errors.GRADIENT_SHAPE.code and not error.frames:  # not in the program: in the request
        raise Refused(f"--gradient: {error.message}")
    return trace


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
