"""The walls around a run, put up by the child process itself before the program starts.

In order: lowest priority in life, no descriptor but its own socket, resource limits, and a kernel filter that refuses
every system call but those of computing. None of it can be taken back by the process.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import resource
import signal
import sys
from dataclasses import dataclass

from gradflow.backend.confinement.system_calls import filter_of_runs

_PR_SET_PDEATHSIG = 1
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_INSTRUCTION = 8
_LOW_PRIORITY = 10


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: seconds and bytes. ``base`` is the address space of the process before the run."""

    cpu: float
    memory: int
    base: int = 0


class _Program(ctypes.Structure):
    """The kernel's ``struct sock_fprog``: a filter as instructions of eight bytes each."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


class Confinement:
    """Everything that can be prepared before the fork is prepared here: a process starts the faster."""

    def __init__(self, limits: Limits, refusal: int | None = None) -> None:
        """``refusal``: what becomes of a system call that is not allowed, as pyseccomp has it; by default EPERM."""
        self._parent = os.getpid()
        self._limits = _resource_limits(limits)
        self._filter = _compiled_filter(refusal)
        self._prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None

    @property
    def seccomp(self) -> bool:
        """Whether there is a filter: the platform may have no seccomp, or no libseccomp."""
        return self._filter is not None

    def enter(self, keep: int) -> None:
        """Shut this process in. ``keep`` is the one descriptor besides 0, 1 and 2 (which lead nowhere) that stays."""
        self._die_with_parent()
        _be_first_victim()
        _close_descriptors(keep)
        for kind, bounds in self._limits:
            with contextlib.suppress(ValueError, OSError):  # macOS refuses some of them
                resource.setrlimit(kind, bounds)
        if self._filter is not None:
            self._load_filter()

    def _die_with_parent(self) -> None:
        if self._prctl is not None:
            self._prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != self._parent:
            os._exit(1)

    def _load_filter(self) -> None:
        assert self._prctl is not None
        assert self._filter is not None
        refused = self._prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        refused |= self._prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(self._filter), 0, 0)
        if refused:
            os._exit(1)


def address_space() -> int:
    """Bytes of address space that this process has now; 0 where it cannot be told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def _compiled_filter(refusal: int | None) -> _Program | None:
    instructions = filter_of_runs(refusal)
    return None if instructions is None else _Program(len(instructions) // _INSTRUCTION, instructions)


def _be_first_victim() -> None:
    """Give way to the service: in processor time, and when the machine runs out of memory."""
    os.nice(_LOW_PRIORITY)
    with contextlib.suppress(OSError):
        score = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
        os.write(score, b"1000")


def _close_descriptors(keep: int) -> None:
    """0 and 1 lead nowhere in the fork server already; 2 is its log."""
    os.dup2(1, 2)
    os.closerange(3, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))


def _resource_limits(limits: Limits) -> list[tuple[int, tuple[int, int]]]:
    """Soft and hard limit alike, never above the limit already in force."""
    wanted = {
        resource.RLIMIT_CPU: math.ceil(limits.cpu) + 1,
        resource.RLIMIT_AS: limits.base + limits.memory,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_NOFILE: 0,
    }
    return [(kind, (bound, bound)) for kind, value in wanted.items() for bound in [_lowered(kind, value)]]


def _lowered(kind: int, value: int) -> int:
    _, hard = resource.getrlimit(kind)
    return value if hard == resource.RLIM_INFINITY else min(value, hard)
