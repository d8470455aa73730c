"""A run for whoever sits at the keyboard: what the service runs in its jail, without walls, and with no limit but one of
time, where it is asked for.

The process of such a run does what the process of a run in the jail does, in the same environment, so that it gives the
same answer. Only nothing is loaded before it is needed: loading everything takes longer than most programs do.
"""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from gradflow.backend import helper_process
from gradflow.backend.arguments import MAX_BYTES

if TYPE_CHECKING:
    from gradflow.engine.run import InvalidRequest
    from gradflow.engine.trace import Trace


_START = 30.0
"""Seconds that the process may take besides: for its start, and for telling of the run."""


class Died(Exception):
    """The process ended without an answer, as it does when the machine runs out of memory."""


def run(source: str, *, time_limit: float = 0, **arguments: Any) -> Trace:
    """`gradflow.engine.run.run` in a process of its own; takes the same arguments. Raises `InvalidRequest`, `Died`.

    time_limit: for how many seconds the program may run; 0 sets no limit.
    """
    try:
        done = subprocess.run(
            helper_process.command(__name__),
            input=pickle.dumps((time_limit, {"source": source, "max_bytes": MAX_BYTES, **arguments})),
            stdout=subprocess.PIPE,
            env=helper_process.environment_of_runs(),
            check=False,
            timeout=time_limit * 3 + _START if time_limit else None,
        )
    except subprocess.TimeoutExpired:
        raise Died(f"the program does not end after {time_limit:g} seconds") from None
    if done.returncode:
        raise Died(f"the process of the program ended with status {done.returncode}")
    answer: Trace | InvalidRequest = pickle.loads(done.stdout)
    if isinstance(answer, Exception):
        raise answer
    return answer


def main() -> None:
    """Answer the one request that stands on standard input."""
    from gradflow.backend.jail import outcome, worker  # load the whole engine, which the one who asks does not need
    from gradflow.engine import collector
    from gradflow.engine.run import InvalidRequest

    worker.guard_built_in_methods()
    collector.stop()
    time_limit, request = pickle.load(sys.stdin.buffer)
    if time_limit:
        worker.CLOCK.install()
    bounds = outcome.Bounds(time_limit, memory_limit=0, operation_limit=200_000, max_response_bytes=sys.maxsize)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    answer: Trace | InvalidRequest
    try:
        answer = outcome.written_down(worker.trace_of(request, bounds))
    except InvalidRequest as error:
        answer = error
    pickle.dump(answer, sys.stdout.buffer)


if __name__ == "__main__":
    from gradflow.engine import collector

    collector.leave(main)
