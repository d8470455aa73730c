"""Tests of the command line, as a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradflow import __version__

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = (
    "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = (x * x).sum()\ny.backward()\nprint(x.grad)\n"
)


def gradflow(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "gradflow", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]), **environment},
        check=False,
    )


@pytest.fixture
def program(tmp_path: Path) -> Path:
    file = tmp_path / "program.py"
    file.write_text(PROGRAM)
    return file


def test_run_prints_what_the_program_prints(program: Path) -> None:
    done = gradflow("run", program)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"tensor([2., 4.])\n", b"")


def test_run_reads_standard_input() -> None:
    done = gradflow("run", "-", stdin=PROGRAM.encode())
    assert (done.returncode, done.stdout, done.stderr) == (0, b"tensor([2., 4.])\n", b"")


def test_run_ends_an_uncaught_exception_as_python_does(program: Path) -> None:
    program.write_text("import torch\nprint('before')\ntorch.ones(2, requires_grad=True).backward()\n")
    done = gradflow("run", program)
    assert (done.returncode, done.stdout) == (1, b"before\n")
    assert done.stderr == b"RuntimeError: grad can be implicitly created only for scalar outputs\n"


def test_an_exception_without_a_message_has_no_colon(program: Path) -> None:
    program.write_text("assert 1 > 2\n")
    assert gradflow("run", program).stderr == b"AssertionError\n"


def test_run_tells_warnings_with_their_place(program: Path) -> None:
    program.write_text("import torch\nx = torch.ones(1, requires_grad=True)\ny = x * 2\nprint(y.grad)\n")
    done = gradflow("run", program)
    assert (done.returncode, done.stdout) == (0, b"None\n")
    place = f"{program}:4: UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."
    assert done.stderr.decode().startswith(place)


def test_run_prints_the_trace(program: Path) -> None:
    done = gradflow("run", "--json", program)
    trace = json.loads(done.stdout)
    assert (done.returncode, trace["schema"], trace["stdout"]) == (0, 2, "tensor([2., 4.])\n")


def test_run_prints_the_trace_of_a_program_that_raises(program: Path) -> None:
    program.write_text("x = 1 / 0")
    done = gradflow("run", "--json", program)
    assert (done.returncode, done.stderr) == (1, b"")
    assert json.loads(done.stdout)["error"]["type"] == "ZeroDivisionError"


@pytest.mark.parametrize(
    ("content", "printed"),
    [
        ("print('梯度')".encode(), "梯度\n"),
        (b"\xef\xbb\xbfprint('bom')", "bom\n"),
        ("# -*- coding: gbk -*-\nprint('梯度')".encode("gbk"), "梯度\n"),
        (b"print('a')\r\nprint('b')\r\n", "a\nb\n"),
        (b"", ""),
    ],
)
def test_encodings(program: Path, content: bytes, printed: str) -> None:
    program.write_bytes(content)
    done = gradflow("run", program, PYTHONIOENCODING="utf-8")
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, printed, b"")


def test_what_the_terminal_cannot_show_is_escaped(program: Path) -> None:
    program.write_text("print('梯')", encoding="utf-8")
    assert gradflow("run", program, PYTHONIOENCODING="ascii").stdout == b"\\u68af\n"


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"print('\xff')", "invalid or missing encoding declaration"),
        (b"\n\n\nprint('\xff')", "'utf-8' codec can't decode byte 0xff in position 10: invalid start byte"),
        (b"# coding: no-such\n", "unknown encoding: no-such"),
    ],
)
def test_text_that_cannot_be_read_is_refused_in_one_line(program: Path, content: bytes, complaint: str) -> None:
    program.write_bytes(content)
    done = gradflow("run", program)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith(f"gradflow: {program}: ")
    assert complaint in line


@pytest.mark.parametrize(("name", "complaint"), [("missing.py", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_is_none_is_refused_in_one_line(tmp_path: Path, name: str, complaint: str) -> None:
    done = gradflow("run", tmp_path / name)
    assert (done.returncode, done.stderr.decode()) == (2, f"gradflow: {tmp_path / name}: {complaint}\n")


def test_a_reader_that_leaves_is_no_error(program: Path) -> None:
    program.write_text("for i in range(20000):\n    print(i, 'x' * 20)\n")
    command = f"'{sys.executable}' -m gradflow run '{program}' | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, cwd=ROOT, check=False)
    assert (done.stdout, done.stderr) == (b"0 xxxxxxxxxxxxxxxxxxxx\n", b"")


@pytest.mark.parametrize(
    ("suffix", "magic"), [("svg", b"<?xml"), ("png", b"\x89PNG\r\n\x1a\n"), ("pdf", b"%PDF-"), ("dot", b"digraph")]
)
def test_render_takes_the_format_from_the_name(program: Path, tmp_path: Path, suffix: str, magic: bytes) -> None:
    picture = tmp_path / f"picture.{suffix}"
    done = gradflow("render", program, "-o", picture)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert picture.read_bytes().startswith(magic)


def test_render_without_the_dot_executable(program: Path, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    done = gradflow("render", program, "-o", picture, PATH=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"</svg>" in picture.read_bytes()


def test_render_draws_a_failed_run_up_to_its_end(program: Path, tmp_path: Path) -> None:
    program.write_text("import torch\nx = torch.ones(2, requires_grad=True)\n(x * 2).backward()\n")
    picture = tmp_path / "picture.dot"
    done = gradflow("render", program, "-o", picture)
    assert done.returncode == 1
    assert done.stderr == b"RuntimeError: grad can be implicitly created only for scalar outputs\n"
    assert picture.exists()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("x = 1", "the program makes no tensor"),
        ("x =", "SyntaxError: invalid syntax"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_render_says_when_there_is_nothing_to_draw(program: Path, tmp_path: Path, source: str, reason: str) -> None:
    program.write_text(source)
    done = gradflow("render", program, "-o", tmp_path / "picture.svg")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"gradflow: There is nothing to draw: {reason}\n"
    assert not (tmp_path / "picture.svg").exists()


def test_render_draws_the_turn_that_is_asked_for(program: Path, tmp_path: Path) -> None:
    program.write_text(
        "import torch\nw = torch.ones(1, requires_grad=True)\nfor step in range(3):\n    w.grad = None\n    (w * 3).sin().backward()"
    )
    picture = tmp_path / "picture.dot"
    assert gradflow("render", program, "-o", picture, "--turn", "2").returncode == 0
    assert 'label="turn 2 of 3   step = 1"' in picture.read_text(encoding="utf-8")
    done = gradflow("render", program, "-o", picture, "--turn", "4")
    refusal = "no loop of the program has a turn 4 that is drawn by itself"
    assert (done.returncode, done.stderr.decode()) == (2, f"gradflow: --turn: {refusal}\n")
    assert gradflow("render", program, "-o", picture, "--turn", "2", "--step", "0").returncode == 0
    assert picture.read_text(encoding="utf-8").count("dir=back") == 1
    done = gradflow("render", program, "-o", picture, "--step", "9")
    told = "the pass has 2 steps: there is no step 9"
    assert (done.returncode, done.stderr.decode()) == (2, f"gradflow: --step: {told}\n")


def test_render_refuses_other_formats_and_places(program: Path, tmp_path: Path) -> None:
    done = gradflow("render", program, "-o", tmp_path / "picture.gif")
    assert done.returncode == 2
    assert done.stderr.decode().endswith("picture.gif: the name must end in .svg, .png, .pdf or .dot\n")
    nowhere = tmp_path / "missing" / "picture.dot"
    done = gradflow("render", program, "-o", nowhere)
    assert (done.returncode, done.stderr.decode()) == (2, f"gradflow: {nowhere}: No such file or directory\n")


@pytest.mark.parametrize("arguments", [(), ("draw",), ("run",), ("render", "program.py"), ("serve", "--port", "x")])
def test_usage_errors(arguments: tuple[str, ...]) -> None:
    done = gradflow(*arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"usage: gradflow")


def test_version() -> None:
    done = gradflow("--version")
    assert (done.returncode, done.stdout.decode()) == (0, f"gradflow {__version__}\n")


@pytest.mark.parametrize("command", [(), ("serve",), ("run",), ("render",)])
def test_help_ends_with_examples(command: tuple[str, ...]) -> None:
    done = gradflow(*command, "--help")
    assert (done.returncode, done.stderr) == (0, b"")
    _, heading, examples = done.stdout.decode().partition("\nexamples:\n")
    assert heading
    assert f"  gradflow {' '.join(command)}".rstrip() in examples


REQUEST = ("--input", "a=[[1, 2], [3, 4]]", "--input", 'b={"data": [[1], ["NaN"]], "requires_grad": false}')


def test_run_takes_what_the_api_takes() -> None:
    done = gradflow("run", "--json", *REQUEST, "--gradient", "[[1], [10]]", "-", stdin=b"c = a.mm(b)\nd = c + 1")
    tensors = {tensor["names"][0]: tensor for tensor in json.loads(done.stdout)["tensors"]}
    assert (done.returncode, done.stderr) == (0, b"")
    assert tensors["a"]["grad"]["data"] == [1.0, "NaN", 10.0, "NaN"]
    assert tensors["b"]["grad"] is None


def test_run_differentiates_the_tensor_that_is_named() -> None:
    options = ("--input", "x=[1, 2]", "--differentiate", "y", "--gradient", "[1, 10]", "--jacobian")
    done = gradflow("run", "--json", *options, "-", stdin=b"y = x * 2\nz = y * 5")
    (only,) = json.loads(done.stdout)["passes"]
    assert only["gradients"]["t0"]["data"] == [2.0, 20.0]
    assert only["jacobian"] is not None


def test_render_draws_the_pass_that_the_options_ask_for(tmp_path: Path) -> None:
    picture = tmp_path / "picture.dot"
    done = gradflow("render", "--input", "x=[1, 2]", "--gradient", "[7, 9]", "-o", picture, "-", stdin=b"y = x * 2")
    assert (done.returncode, done.stderr) == (0, b"")
    assert ">14<" in picture.read_text()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--input", "a"), "--input a: expected NAME=JSON, such as a=[[1, 2], [3, 4]]"),
        (("--input", "a=[1"), "--input a: invalid JSON: unexpected end of data: line 1 column 3 (char 2)"),
        (("--input", "a=1", "--input", "a=2"), "--input a: given twice"),
        (("--input", 'a=["x"]'), "--input a: Expected a number or nested lists of numbers"),
        (("--input", "a=[[1, 2], [3]]"), "--input a: the rows are not equally long"),
        (("--input", "1a=2"), "--input 1a: '1a' is not a name for a tensor"),
        (("--input", 'a={"data": 1, "dtype": "half8"}'), "--input a: unknown dtype 'half8'"),
        (("--gradient", "[[1], [1, 2]]"), "--gradient: the rows are not equally long"),
        (
            ("--gradient", "[1, 2, 3]"),
            "--gradient: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of"
            " torch.Size([2]).",
        ),
        (("--differentiate", "z"), "--differentiate: the program has no tensor named 'z'"),
    ],
)
def test_options_that_make_no_sense_are_refused_in_one_line(options: tuple[str, ...], complaint: str) -> None:
    done = gradflow("run", *options, "-", stdin=b"import torch\ny = torch.ones(2, requires_grad=True) * 2")
    assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", f"gradflow: {complaint}\n")


def test_a_misspelt_setting_is_told(program: Path, tmp_path: Path) -> None:
    done = gradflow("render", program, "-o", tmp_path / "picture.dot", GRADFLOW_RENDER_TIMELIMIT="5")
    warning = "GRADFLOW_RENDER_TIMELIMIT is not a setting; did you mean GRADFLOW_RENDER_TIME_LIMIT?"
    assert (done.returncode, done.stderr.decode()) == (0, f"gradflow: warning: {warning}\n")


def test_a_senseless_setting_is_refused_in_one_line() -> None:
    done = gradflow("serve", GRADFLOW_TIME_LIMIT="soon")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("gradflow: setting time_limit: Input should be a valid number")
