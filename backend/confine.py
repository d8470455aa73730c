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
from typing import Protocol

# What CPython and NumPy need to compute, to read the request and to write the answer. Memory may never be made
# executable: see _WITHOUT_EXEC.
_ALLOWED = """
    read write readv writev close lseek recvfrom
    brk munmap mremap madvise futex sched_yield sched_getaffinity rseq membarrier set_robust_list
    rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall setitimer
    clock_gettime clock_getres gettimeofday time times getrusage getrandom sysinfo
    getpid gettid getuid geteuid getgid getegid exit exit_group
"""
_WITHOUT_EXEC = ("mmap", "mprotect")
_PROT_EXEC = 4
_EPERM = 1
_PR_SET_PDEATHSIG = 1
_LOW_PRIORITY = 5


class Filter(Protocol):
    """A compiled list of allowed system calls; ``load`` binds the calling process to it for ever."""

    def load(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run may use: seconds and bytes. ``base`` is the address space of the process before the run."""

    cpu: float
    memory: int
    base: int = 0


def system_call_filter() -> Filter | None:
    """The filter, or None where the platform has no seccomp (or no libseccomp)."""
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return None
    try:
        calls = pyseccomp.SyscallFilter(pyseccomp.ERRNO(_EPERM))
        for name in _ALLOWED.split():
            with contextlib.suppress(OSError, ValueError):  # an architecture without this call
                calls.add_rule(pyseccomp.ALLOW, name)
        no_exec = pyseccomp.Arg(2, pyseccomp.MASKED_EQ, _PROT_EXEC, 0)
        for name in _WITHOUT_EXEC:
            calls.add_rule(pyseccomp.ALLOW, name, no_exec)
    except OSError:
        return None
    loaded: Filter = calls
    return loaded


def address_space() -> int:
    """Bytes of address space that this process has now; 0 where it cannot be told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0


def confine(limits: Limits, keep: int, parent: int, calls: Filter | None) -> None:
    """Shut this process in. ``keep`` is the one descriptor besides 0, 1 and 2 (which lead nowhere) that stays open."""
    _die_with(parent)
    _be_first_victim()
    _close_descriptors(keep)
    _limit_resources(limits)
    if calls is not None:
        calls.load()


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _be_first_victim() -> None:
    """Give way to the service: in processor time, and when the machine runs out of memory."""
    os.nice(_LOW_PRIORITY)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")


def _close_descriptors(keep: int) -> None:
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.closerange(3, keep)
    os.closerange(keep + 1, os.sysconf("SC_OPEN_MAX"))


def _limit_resources(limits: Limits) -> None:
    seconds = math.ceil(limits.cpu) + 1
    _lower(resource.RLIMIT_CPU, seconds)
    _lower(resource.RLIMIT_AS, limits.base + limits.memory)
    for kind in (resource.RLIMIT_FSIZE, resource.RLIMIT_CORE, resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE):
        _lower(kind, 0)


def _lower(kind: int, value: int) -> None:
    """Set soft and hard limit alike, never above the limit already in force."""
    _, hard = resource.getrlimit(kind)
    bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with contextlib.suppress(ValueError, OSError):  # macOS refuses some of them
        resource.setrlimit(kind, (bound, bound))
