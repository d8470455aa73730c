"""``np.save``, ``np.savez`` and ``np.load``, as NumPy's own read and write them, and bytes that others wrote."""

from __future__ import annotations

import io

import numpy as np
import pytest

from gradflow.engine.run import run


def loaded(content: bytes) -> str:
    """What a program prints of the array in these bytes, or the error that ends it."""
    trace = run(f"import io, numpy as np\nprint(repr(np.load(io.BytesIO({content!r}))))")
    return trace.stdout if trace.error is None else f"{trace.error.type}: {trace.error.message}"


def saved(array: np.ndarray) -> bytes:
    memory = io.BytesIO()
    np.save(memory, array)
    return memory.getvalue()


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3)),
        np.array([True, False]),
        np.array(1 + 2j),
        np.zeros((0, 3), np.float32),
        np.arange(3, dtype=">f4"),
    ],
)
def test_what_numpy_saved_is_read(array: np.ndarray) -> None:
    assert loaded(saved(array)) == f"{array!r}\n"


def test_what_is_saved_numpy_reads() -> None:
    trace = run(
        "import io, numpy as np\nb = io.BytesIO()\nnp.save(b, np.arange(3))\nnp.save(b, np.eye(2))\nprint(b.getvalue())\nb.seek(0)\n"
        "print(np.load(b), np.load(b))"
    )
    content, _, rest = trace.stdout.partition("\n")
    memory = io.BytesIO(eval(content))
    assert (np.load(memory).tolist(), np.load(memory).tolist()) == ([0, 1, 2], [[1, 0], [0, 1]])
    assert rest == "[0 1 2] [[1. 0.]\n [0. 1.]]\n"


def header(text: str, data: bytes = b"") -> bytes:
    written = text.encode()
    return b"\x93NUMPY\x01\x00" + len(written).to_bytes(2, "little") + written + data


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", b"\0" * 8),
            "TypeError: NumPy arrays of dtype object",
        ),
        (
            header("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}"),
            "ValueError: Header does not contain",
        ),
        (
            header("{'descr': 'i4,i4', 'fortran_order': False, 'shape': (1,)}", b"\0" * 8),
            "TypeError: NumPy arrays of dtype",
        ),
        (
            header("{'descr': '<f8', 'fortran_order': False, 'shape': (4,)}", b"\0" * 8),
            "ValueError: Failed to read all data",
        ),
        (
            header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", b"\0" * 8),
            "ValueError: shape is not valid",
        ),
        (header("__import__('os')"), "ValueError: Cannot parse header"),
        (header("(" * 5000), "ValueError: Cannot parse header"),
        (b"\x93NUMPY", "ValueError: the magic string"),
        (b"PK\x03\x04", "zipfile.BadZipFile: File is not a zip file"),
        (b"\x80\x04N.", "RuntimeError: load() of a file that `np.save` has not written"),
        (b"", "EOFError: No data left in file"),
    ],
)
def test_what_somebody_else_wrote_is_refused(content: bytes, message: str) -> None:
    assert loaded(content).startswith(message)


def test_truth_values_are_0_and_1() -> None:
    content = header("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", b"\x00\x02\xff")
    assert loaded(content) == "array([False,  True,  True])\n"
    trace = run(
        f"import io, numpy as np\na = np.load(io.BytesIO({content!r}))\nprint(len(np.arange(3)[a]), a.sum(), a.tobytes())"
    )
    assert trace.stdout == "2 2 b'\\x00\\x01\\x01'\n"
