"""Filters of system calls, as the kernel takes them (seccomp in filter mode): a list of what is allowed, all else is refused."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import Final

COMPUTING: Final = """
    read write readv writev close lseek recvfrom
    brk munmap mremap madvise futex sched_yield sched_getaffinity rseq membarrier set_robust_list
    rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack restart_syscall setitimer
    clock_gettime clock_getres gettimeofday time times getrusage getrandom sysinfo
    getpid gettid getuid geteuid getgid getegid exit exit_group
"""
"""What CPython and NumPy need to compute, to read the request and to write the answer. Memory may never be made executable:
see `WITHOUT_EXEC`."""
WITHOUT_EXEC: Final = ("mmap", "mprotect")
PROT_EXEC: Final = 4

_STARTING: Final = """
    mmap mprotect execve arch_prctl set_tid_address prctl pread64 fadvise64 uname dup dup2 dup3
    newfstatat fstat stat lstat statx access faccessat faccessat2 readlink readlinkat getdents64 getcwd statfs fstatfs
"""
"""What a program needs beside that to be started, and to look at its fonts."""
_READING: Final = {"open": 1, "openat": 2}
"""Calls that open files, and which of their arguments says for what."""
_WRITING: Final = os.O_ACCMODE | os.O_CREAT | os.O_TRUNC
_DESCRIPTORS: Final = (0, 1, 2, 3, 1030)
"""Of fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC."""
_CLOSE_ON_EXEC: Final = 0x5451
"""Of ioctl: FIOCLEX."""
_THREAD: Final = 0x10000 | 0x100
"""CLONE_THREAD and CLONE_VM: a thread, and no other process."""
_EPERM, _ENOSYS = 1, 38


def filter_of_runs(refusal: int | None = None) -> bytes | None:
    """For the process of a run: computing. None where the platform has no seccomp, or no libseccomp.

    refusal: what becomes of a call that is not allowed, as pyseccomp has it; by default EPERM.
    """
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return None
    calls = pyseccomp.SyscallFilter(pyseccomp.ERRNO(_EPERM) if refusal is None else refusal)
    _allow(calls, COMPUTING)
    no_exec = pyseccomp.Arg(2, pyseccomp.MASKED_EQ, PROT_EXEC, 0)
    for name in WITHOUT_EXEC:
        calls.add_rule(pyseccomp.ALLOW, name, no_exec)
    return _exported(calls)


def filter_of_drawings() -> bytes | None:
    """For the process that makes PNG and PDF: computing, its own threads, and files to read. None as above."""
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError):
        return None
    calls = pyseccomp.SyscallFilter(pyseccomp.ERRNO(_EPERM))
    _allow(calls, COMPUTING + _STARTING)
    for name, argument in _READING.items():
        with contextlib.suppress(OSError, ValueError):
            calls.add_rule(pyseccomp.ALLOW, name, pyseccomp.Arg(argument, pyseccomp.MASKED_EQ, _WRITING, os.O_RDONLY))
    for command in _DESCRIPTORS:
        calls.add_rule(pyseccomp.ALLOW, "fcntl", pyseccomp.Arg(1, pyseccomp.EQ, command))
    calls.add_rule(pyseccomp.ALLOW, "ioctl", pyseccomp.Arg(1, pyseccomp.EQ, _CLOSE_ON_EXEC))
    calls.add_rule(pyseccomp.ALLOW, "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, _THREAD, _THREAD))
    with contextlib.suppress(OSError, ValueError):
        calls.add_rule(pyseccomp.ERRNO(_ENOSYS), "clone3")  # its flags cannot be seen; the C library then takes clone
    with contextlib.suppress(OSError, ValueError):  # its own limits may be read, not set
        calls.add_rule(pyseccomp.ALLOW, "prlimit64", pyseccomp.Arg(2, pyseccomp.EQ, 0))
    return _exported(calls)


def _allow(calls: object, names: str) -> None:
    import pyseccomp

    for name in names.split():
        with contextlib.suppress(OSError, ValueError):  # an architecture without this call
            calls.add_rule(pyseccomp.ALLOW, name)  # type: ignore[attr-defined]  # pyseccomp has no types


def _exported(calls: object) -> bytes:
    with tempfile.TemporaryFile() as file:
        calls.export_bpf(file)  # type: ignore[attr-defined]  # pyseccomp has no types
        file.seek(0)
        return file.read()
