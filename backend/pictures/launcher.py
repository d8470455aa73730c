"""Shuts its own process in and becomes the program that draws. A script by itself, for `python -I -S`, which starts in a moment.

    launcher.py FILTER SECONDS BYTES PROGRAM [ARGUMENT ...]

FILTER is a filter of system calls in base64, empty where there is none. Where the kernel has Landlock, files can be read below `READ`
and beside what the command names by a whole path: those of the system and of the program, and no data of anybody.
"""

import base64
import contextlib
import ctypes
import os
import resource
import signal
import struct
import sys

READ = (
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/alternatives",
    "/var/cache/fontconfig",
    "/opt",
)
LOW_PRIORITY = 10
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 22, 38
SECCOMP_MODE_FILTER = 2
INSTRUCTION = 8
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
EVERY_ACCESS = (1 << 13) - 1
EXECUTE, READ_FILE, READ_DIR = 1, 1 << 2, 1 << 3
PATH_BENEATH = 1


class Program(ctypes.Structure):
    """The kernel's ``struct sock_fprog``."""

    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def main() -> None:
    """As above; exit status 127 where the program cannot be started."""
    seconds, size = int(sys.argv[2]), int(sys.argv[3])
    for kind, bound in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, size),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 64),
    ):
        with contextlib.suppress(ValueError, OSError):  # it is lower already
            resource.setrlimit(kind, (bound, bound))
    os.nice(LOW_PRIORITY)
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
        score.write("1000")
    if sys.platform == "linux":
        shut_in(base64.b64decode(sys.argv[1]))
    try:
        os.execv(sys.argv[4], sys.argv[4:])
    except OSError as error:
        sys.stderr.write(f"{sys.argv[4]}: {error.strerror}")
        sys.exit(127)


def shut_in(program: bytes) -> None:
    """For good."""
    library = ctypes.CDLL(None)
    library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    refused = library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    restrict_files(library)
    if program:
        given = Program(len(program) // INSTRUCTION, program)
        refused |= library.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(given), 0, 0)
    if refused:
        sys.exit(126)


def restrict_files(library: ctypes.CDLL) -> None:
    """By Landlock, where the kernel has it."""
    rules = struct.pack("=Q", EVERY_ACCESS)
    ruleset = library.syscall(CREATE_RULESET, rules, ctypes.c_size_t(len(rules)), 0)
    if ruleset < 0:
        return
    programs = [sys.executable, *filter(os.path.isabs, sys.argv[4:])]
    for path in (*READ, sys.prefix, *map(folder_of, programs), *map(folder_of, map(os.path.realpath, programs))):
        with contextlib.suppress(OSError):
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
            access = EXECUTE | READ_FILE | (READ_DIR if os.path.isdir(path) else 0)
            rule = struct.pack("=Qi", access, place)
            library.syscall(ADD_RULE, ruleset, PATH_BENEATH, rule, 0)
            os.close(place)
    library.syscall(RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)


def folder_of(program: str) -> str:
    """Where a program lies with what belongs to it."""
    folder = os.path.dirname(program)
    return os.path.dirname(folder) if os.path.basename(folder) == "bin" else folder


if __name__ == "__main__":
    main()
