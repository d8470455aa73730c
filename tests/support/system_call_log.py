"""The system calls of confined processes as strace saw them: which of them were carried out though no run may make them."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from gradflow.backend.confinement.system_calls import COMPUTING, PROT_EXEC, WITHOUT_EXEC

STRACE: Final = shutil.which("strace")
ALLOWED: Final = frozenset(COMPUTING.split())
OF_THE_KERNEL: Final = frozenset({"uretprobe", "uprobe", "syscall_0x14f", "syscall_0x150"})
"""Calls that Linux (6.14, 6.18) lets past every filter, for its own probes: from elsewhere they fail."""
_LINE: Final = re.compile(r"(\d+) +(?:<\.\.\. )?(\w+)(?: resumed>|\()(.*)\) += (-?\w+|\?)(?: (\w+))?")
_BEGUN: Final = re.compile(r"(\d+) +(\w+)\((.*) <unfinished \.\.\.>")
_GONE: Final = re.compile(r"(\d+) +\+\+\+ (?:killed by (SIGSYS))?")
_NUMBER: Final = re.compile(r"0x[0-9a-f]+")
_CLOSED: Final = ("SECCOMP_MODE_FILTER", "PR_SET_SECCOMP")


@dataclass
class Log:
    """What stands in a log: how many calls were refused, of how many kinds, and those that were carried out."""

    refused: Counter[str] = field(default_factory=Counter)
    carried_out: list[str] = field(default_factory=list)
    _last: str = ""

    def read(self, lines: Iterable[str]) -> None:
        """The lines of ``strace -f``."""
        confined: set[str] = set()
        begun: dict[str, str] = {}
        for line in lines:
            if match := _BEGUN.match(line):
                begun[match[1]] = match[3]
            elif match := _LINE.match(line):
                pid, name, given, result, error = match.groups()
                given = begun.pop(pid, "") + given
                if pid in confined:
                    self._last = pid if self._take(line, name, given, result, error) else ""
                elif result == "0" and all(each in given for each in _CLOSED):
                    confined.add(pid)
            elif match := _GONE.match(line):
                confined.discard(match[1])
                if match[2] and match[1] == self._last:  # the number of the call stands where its result would
                    self.refused[f"of another kind ({match[2]})"] += 1
                    self.carried_out.pop()
                    self._last = ""

    def _take(self, line: str, name: str, given: str, result: str, error: str | None) -> bool:
        """Whether the call was carried out."""
        if name in ALLOWED or (name in WITHOUT_EXEC and not _is_executable(given)):
            return False
        passed = error is not None and name in OF_THE_KERNEL
        if error == "EPERM" or result == "?" or passed:  # refused, or never come back from: the process was ended in it
            self.refused[name] += 1
            return False
        self.carried_out.append(line.strip()[:300])
        return True


def _is_executable(given: str) -> bool:
    """Whether the third of the arguments, the protection, has PROT_EXEC, by its name or in a number."""
    protection = [*given.split(", "), "", "", ""][2]
    return "PROT_EXEC" in protection or any(int(each, 16) & PROT_EXEC for each in _NUMBER.findall(protection))


def traced(command: list[str], log: str) -> list[str]:
    """A command under strace, which leaves out what every run may do."""
    assert STRACE is not None
    return [STRACE, "-f", "-qq", "-o", log, "-e", "trace=!" + ",".join(sorted(ALLOWED - _OF_OTHERS)), *command]


_OF_OTHERS: Final = frozenset({"rseq", "membarrier", "set_robust_list"})
"""Names that an older strace does not know."""
