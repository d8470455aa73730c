"""Whose an error is that ends a run: the program's, or the engine's own, of which no program is to be told."""

from __future__ import annotations

import opcode
import os
from signal import SIGINT, default_int_handler, getsignal
from types import TracebackType
from typing import Final

from gradflow.engine import errors, sandbox
from gradflow.engine.sandbox.gate import is_program_class
from gradflow.engine.sandbox.program import PROGRAM_FILE

_STAND_INS: Final = os.path.dirname(sandbox.__file__) + os.sep
"""The folder of what stands for Python's modules."""


def raised_by_program(error: BaseException) -> bool:
    """Whether a program raised this error, rather than somebody at the keyboard."""
    place = error.__traceback__
    while place is not None:
        if place.tb_frame.f_code.co_filename == PROGRAM_FILE and _raises(place):
            return True
        place = place.tb_next
    return getsignal(SIGINT) is not default_int_handler


def ends_well(error: SystemExit) -> bool:
    """Whether a program ended itself without an error, whatever its class and its objects say of themselves."""
    code = vars(SystemExit)["code"].__get__(error)
    return code is None or (type(code) in (int, bool) and code == 0)


def is_ours(error: BaseException) -> bool:
    """Whether an import or an opening failed inside of the engine or of a library. A program does neither: it can only
    raise such errors, or meet those of the catalogue."""
    if not isinstance(error, ImportError | OSError) or errors.kind_of(error) is not None:
        return False
    if is_program_class(type(error)):
        return False
    if isinstance(error, OSError) and error.errno is None:  # of no system call: "Not a gzipped file"
        return False
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and not _is_of_stand_ins(place)


def _is_of_stand_ins(place: TracebackType) -> bool:
    """Whether the program itself, or what stands for a module of Python's, said `raise` here: nothing of the system's failed."""
    code = place.tb_frame.f_code
    if code.co_filename == PROGRAM_FILE:
        return True
    return code.co_filename.startswith(_STAND_INS) and _raises(place)


def _raises(place: TracebackType) -> bool:
    return place.tb_frame.f_code.co_code[place.tb_lasti] == opcode.opmap["RAISE_VARARGS"]
