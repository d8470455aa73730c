"""`run`: source text in, `Trace` out. The one entry point of the engine.

What only a run needs is imported by the first one (`gradflow.engine.preload` does it beforehand).
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd import backward
from gradflow.engine.autograd.transforms import vmap_output
from gradflow.engine.collector import CollectorOff
from gradflow.engine.errors.stopped import Stopped, stop
from gradflow.engine.numerics.mersenne_twister import GENERATOR
from gradflow.engine.recording.afterwards import afterwards
from gradflow.engine.recording.entries import tensor_id
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.sandbox.interpreter.caches import forget_keys
from gradflow.engine.sandbox.interpreter.generators import end_generators
from gradflow.engine.sandbox.interpreter.whose_error import ends_well, is_ours, raised_by_program
from gradflow.engine.sandbox.library.scripts.tables import Output
from gradflow.engine.sandbox.program import PROGRAM_FILE, Program, Rejected, check
from gradflow.engine.state import STATE
from gradflow.engine.tensor import Tensor, dtypes, printing
from gradflow.engine.trace import ErrorRecord, Span, Trace

if TYPE_CHECKING:
    from gradflow.engine.recording.trace_builder import TraceBuilder

_NUMPYS: Final = np.get_printoptions()
"""How NumPy prints to begin with."""
OUTPUT_LIMIT = 1_000_000
"""Characters that a program may print."""


class InvalidRequest(ValueError):
    """Arguments of `run` that make no sense. ``location`` is the path to the wrong one."""

    def __init__(self, message: str, *location: str | int) -> None:
        super().__init__(message)
        self.location = location


def run(
    source: str,
    *,
    inputs: Mapping[str, Any] | None = None,
    output: str | None = None,
    gradient: Any = None,
    gradients: Mapping[str, Any] | None = None,
    retain_graph: bool = False,
    create_graph: bool = False,
    jacobian: bool = False,
    max_elements: int = 256,
    max_bytes: int | None = None,
    values: Collection[str] = (),
    local_jacobians: Collection[str] = (),
    operations: int = 200_000,
    ended: Callable[[], object] = lambda: None,
) -> Trace:
    """Run a program and record it. A program that raises is no error here: ``Trace.error`` tells of it.

    source: a PyTorch program or one expression. inputs: leaves by name, a number or nested lists of one length in each
    dimension (float32, requiring grad), or ``{"data": ..., "dtype": "float64", "requires_grad": False}``.

    When the program itself runs no backward, one is run. output: the name of the tensor that it begins at, by default
    that of the last assignment or expression. gradient: its argument, in the shape of that tensor; without one the
    tensor must have one element, as in PyTorch. retain_graph, create_graph: as PyTorch's ``backward`` takes them.

    gradients: replacements for the gradient argument of the program's own passes, by their number, from 0. jacobian:
    also the Jacobian of every pass that has one output. max_elements: larger arrays are summarised. max_bytes: how long the
    JSON of the trace may be; beyond it arrays become summaries and turns of loops are left out. values: ids of tensors,
    from the trace of an earlier run, that are told in full. local_jacobians: ids of functions, from such a trace, whose own
    Jacobians are told, where they are not too large. operations: how many tensors a program may make. ended: called
    when nothing of the program runs any more, before its run is told of.

    Raises InvalidRequest, a ValueError, for arguments that make no sense: rows that are not equally long, something else
    than numbers, a name that is no identifier, an unknown dtype, an ``output`` that the program does not have. A program
    runs in the calling process, as long as it takes.
    """
    replacements = {_index(k): _numbers(v, "gradients", k) for k, v in (gradients or {}).items()}
    leaves = _leaves(inputs or {}, operations)
    seed = None if gradient is None else _numbers(gradient, "gradient")
    recorder = Recorder(PROGRAM_FILE, gradients=replacements, jacobian=jacobian, operations=operations)
    recorder.local_jacobians.wanted = {_function(each, k) for k, each in enumerate(local_jacobians)}
    try:
        program = check(source)
    except Rejected as error:
        from gradflow.engine.diagnosis import diagnose_rejection

        return Trace(source, "", diagnose_rejection(error, source), [], [], [], [], [])
    session = _Session(program, recorder, leaves)
    with _fresh_state(recorder):
        session.execute()
        if session.error is None and (seed is not None or output is not None or inputs) and not recorder.passes:
            session.differentiate(
                output, seed, retain_graph, create_graph, required=seed is not None or output is not None
            )
        ended()
        with afterwards():
            return session.trace(max_elements, max_bytes, values)


@contextmanager
def _fresh_state(recorder: Recorder) -> Iterator[None]:
    """Nothing of another run, and nothing left for the next."""
    STATE.reset()
    forget_keys()  # code of the program before may have run as the last of its objects went
    STATE.recorder = STATE.warner = recorder
    printing.set_printoptions(profile="default")
    dtypes.set_default(dtypes.float32.numpy)
    GENERATOR.reset()
    try:
        # a warning of the standard library's own would look for the text of the line, in a file
        with (
            np.errstate(all="ignore"),
            np.printoptions(**_NUMPYS),
            CollectorOff(),
            catch_warnings(action="ignore"),
        ):
            yield
    finally:
        STATE.reset()
        vmap_output.forget()
        forget_keys()
        recorder.called = recorder.chronology.called = None


class _Session:
    """One run in progress."""

    def __init__(self, program: Program, recorder: Recorder, leaves: Mapping[str, Tensor]) -> None:
        self.program, self.recorder = program, recorder
        self.printed: list[str] = []
        self.length = 0
        self.error: BaseException | None = None
        self.error_span: Span | None = None
        from gradflow.engine.namespace.torch import modules
        from gradflow.engine.sandbox.library.numpy_module import numpy_modules

        recorder.places.loops = program.loops
        self.output = Output(self.write)
        self.namespace = program.namespace((modules, numpy_modules), self.output)
        if leaves or not re.search(r"\bimport\b", program.source):
            self.namespace["torch"] = modules()["torch"]
        for name, leaf in leaves.items():
            entry = recorder.new(leaf, None)
            entry.names = [name]
            self.namespace[name] = leaf

    def write(self, text: str) -> None:
        """What the program prints."""
        if STATE.write is not self.output:  # it is over
            return
        if STATE.levels and STATE.levels.capture(text, self.write):
            return
        if "\0v" in text:
            text = vmap_output.resolved(text)
        self.length += len(text)
        if self.length > OUTPUT_LIMIT:
            stop(errors.OUTPUT_LIMIT, limit=OUTPUT_LIMIT)
        self.printed.append(text)
        self.recorder.chronology.printed(text)

    def execute(self) -> None:
        """Run the program; keep what it raises, or the limit that it reached and lived on."""
        STATE.write = self.output
        self._execute()
        if "yield" in self.program.source:
            end_generators()
        if STATE.stopped is not None:
            self.error = _as_exception(STATE.stopped)

    def _execute(self) -> None:
        try:
            self.program.run(self.namespace)
        except KeyboardInterrupt as error:
            if not raised_by_program(error):
                raise
            self.error = error
        except SystemExit as error:
            self.error = None if ends_well(error) else error
        except BaseException as error:
            if is_ours(error):
                raise
            self.error = _as_exception(error)
            self.recorder.failed(error.__traceback__)

    def differentiate(
        self, output: str | None, seed: np.ndarray | None, retain: bool, create: bool, *, required: bool
    ) -> None:
        """The backward pass that the request asks for."""
        tensor = self._output(output)
        if tensor is None or not (required or tensor.requires_grad):
            if required:
                raise InvalidRequest("the program has no tensor to differentiate", "output")
            return
        self.error_span = self._span_of(tensor)
        given = None if seed is None else self.recorder.request(Tensor(seed))
        if given is not None:
            self.recorder.entry(tensor)
        try:
            backward.backward(tensor, given, retain or None, create)
        except (Exception, Stopped) as error:
            if is_ours(error):
                raise
            self.error = _as_exception(error)
        if STATE.stopped is not None:
            self.error = _as_exception(STATE.stopped)

    def _output(self, name: str | None) -> Tensor | None:
        if name is not None:
            found = self.namespace.get(_normal(name))
            if not isinstance(found, Tensor):
                raise InvalidRequest(f"the program has no tensor named {name!r}", "output")
            return found
        for key in self.program.last_targets():
            held = self.namespace.get(key)
            if isinstance(held, Tensor):
                return held
        return None

    def _span_of(self, tensor: Tensor) -> Span | None:
        place = self.recorder.entry(tensor).place
        return None if place is None else self.program.span(*place)

    def trace(self, max_elements: int, max_bytes: int | None = None, values: Collection[str] = ()) -> Trace:
        """All that was recorded; the records of the graph are written when they are first read."""
        from gradflow.engine.diagnosis.traps import notes
        from gradflow.engine.recording.recorded_trace import RecordedTrace
        from gradflow.engine.recording.trace_builder import TraceBuilder

        trace_builder = TraceBuilder(
            self.recorder, self.program, max_elements, self.namespace, max_bytes, self._asked(values), notes
        )
        self.recorder.local_jacobians.take(self.recorder.nodes)
        error = self._diagnosis(trace_builder)
        return RecordedTrace.later(self.program.source, "".join(self.printed), error, trace_builder)

    def _asked(self, values: Collection[str]) -> Collection[str]:
        """The ids of tensors that the request wants in full. Raises InvalidRequest for one that the run does not have."""
        known = {tensor_id(entry) for entry in self.recorder.entries} if values else set()
        for position, each in enumerate(values):
            if each not in known:
                raise InvalidRequest(f"the run has no tensor {each!r}", "values", position)
        return values

    def _diagnosis(self, trace_builder: TraceBuilder) -> ErrorRecord | None:
        if self.error is None:
            return None
        from gradflow.engine.diagnosis import diagnose, unexplained
        from gradflow.engine.diagnosis.run_context import context_of

        try:
            trace_builder.naming.assign()
            known = context_of(self.error, trace_builder, self.recorder, self.error_span)
            return diagnose(self.error, self.program, known)
        except BaseException as error:  # looking at the program's own objects runs code of theirs, or has no end
            if is_ours(error) or (isinstance(error, KeyboardInterrupt) and not raised_by_program(error)):
                raise
            return unexplained(self.error, self.program, self.error_span)


def _as_exception(error: BaseException) -> BaseException:
    """An interruption from outside (a time limit) in the words of its entry in the catalogue."""
    error_kind = errors.kind_of(error)
    if isinstance(error, Exception) or error_kind is None:
        return error
    return error_kind(**errors.details_of(error)).with_traceback(error.__traceback__)


# -- what comes with the request ---------------------------------------------------------------------------------------


_DIGITS = 9


def _index(key: str | int) -> int:
    text = str(key)
    if not text.isascii() or not text.isdigit() or len(text) > _DIGITS:
        raise InvalidRequest(f"{key!r} is not the number of a backward pass", "gradients", key)
    return int(text)


def _function(name: str, position: int) -> int:
    """The number of a function from its id."""
    if not re.fullmatch(rf"n\d{{1,{_DIGITS}}}", name, re.ASCII):
        raise InvalidRequest(f"{name!r} is not the id of a function", "local_jacobians", position)
    return int(name[1:])


def _numbers(given: Any, *location: str | int, dtype: np.dtype = dtypes.DEFAULT) -> np.ndarray:
    """Nested lists as an array. Raises InvalidRequest where they are ragged or hold something else than numbers."""
    try:
        array = np.array(given)
    except (ValueError, TypeError, OverflowError):
        raise InvalidRequest("the rows are not equally long", *location) from None
    if array.dtype.kind not in "iufb" and array.size:
        raise InvalidRequest("numbers are expected", *location)
    if dtype.kind in "iu" and array.size and not _fits(array, np.iinfo(dtype)):
        raise InvalidRequest(f"a number does not fit {dtype.name}", *location)
    return array.astype(dtype)


def _fits(array: np.ndarray, kind: np.iinfo) -> bool:
    low, high = array.min(), array.max()  # NaN is neither below nor above
    return bool(low >= kind.min) and (
        bool(high < float(kind.max)) if array.dtype.kind in "fV" else bool(high <= kind.max)
    )


def _leaves(given: Mapping[str, Any], most: int) -> dict[str, Tensor]:
    """The inputs by their names as Python reads them: it takes different characters that mean the same for one."""
    if len(given) > most:
        raise InvalidRequest(f"a program has at most {most} tensors", "inputs")
    leaves: dict[str, Tensor] = {}
    for name, value in given.items():
        read = _normal(name)
        if read in leaves:
            raise InvalidRequest(f"{name!r} is the same name to Python as one before", "inputs", name)
        leaves[read] = _leaf(name, value)
    return leaves


def _normal(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


def _leaf(name: str, given: Any) -> Tensor:
    if not name.isidentifier() or name.startswith("_"):
        raise InvalidRequest(f"{name!r} is not a name for a tensor", "inputs", name)
    if keyword.iskeyword(_normal(name)):
        raise InvalidRequest(f"{name!r} is a word of Python's own and cannot name a tensor", "inputs", name)
    options = given if isinstance(given, Mapping) else {"data": given}
    unknown = set(options) - {"data", "dtype", "requires_grad"}
    if unknown or "data" not in options:
        raise InvalidRequest("an input has data, and optionally dtype and requires_grad", "inputs", name)
    dtype = dtypes.BY_NAME.get(str(options.get("dtype") or "float32").removeprefix("torch."))
    if dtype is None:
        raise InvalidRequest(f"unknown dtype {options['dtype']!r}", "inputs", name, "dtype")
    wanted = options.get("requires_grad")
    differentiable = dtype.category >= dtypes.FLOAT
    if wanted and not differentiable:
        raise InvalidRequest("only floating point tensors can require gradients", "inputs", name, "requires_grad")
    with np.errstate(all="ignore"):
        array = _numbers(options["data"], "inputs", name, dtype=dtype.numpy)
    return Tensor(array, requires_grad=differentiable if wanted is None else bool(wanted))


__all__ = ["InvalidRequest", "run"]
