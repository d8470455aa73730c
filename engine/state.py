"""What the engine knows beyond its tensors: the grad mode and the recorder. One process runs one program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from gradflow.engine.autograd.graph_task import GraphTask
    from gradflow.engine.autograd.transforms.level_stack import LevelStack
    from gradflow.engine.recording.recorder import Recorder
    from gradflow.engine.trace import Row


sequence: Final = count()
"""Functions are numbered as they are made; a backward pass runs them from the highest number down."""


undone_at_end: Final[list[Callable[[], None]]] = []
"""What a run may have changed in the engine itself, and is changed back."""


class Entered:
    """A call of a module, or a pass that is recorded itself, while it runs. ``frame`` is the id of the frame that runs it;
    ``place`` is the recorder's."""

    __slots__ = ("frame", "kind", "outer", "place", "what")

    def __init__(self, kind: str, what: Any, frame: int) -> None:
        self.kind, self.what, self.frame = kind, what, frame
        self.outer = STATE.entered
        self.place: Any = None

    @property
    def modules(self) -> tuple[Any, ...]:
        """The modules that were being called, outermost first."""
        found: list[Any] = []
        entered: Entered | None = self
        while entered is not None:
            found += [entered.what] if entered.kind == "module" else []
            entered = entered.outer
        return tuple(reversed(found))


class State:
    """Mutable settings of the run in progress."""

    __slots__ = (
        "added_names",
        "anomaly",
        "autocast",
        "batches",
        "check_nan",
        "classes",
        "device",
        "devices",
        "distributions",
        "entered",
        "files",
        "filters",
        "first_number",
        "forward_pass",
        "function_modes",
        "fused_attention",
        "grad",
        "graph_task",
        "handles",
        "hooks_disabled",
        "inference",
        "levels",
        "module_attributes",
        "module_hooks",
        "overriding",
        "parametrized",
        "recorder",
        "recorder_outside",
        "reduced",
        "rows",
        "saved_hooks",
        "settings",
        "special",
        "stopped",
        "torch_functions",
        "tree_nodes",
        "validates_distributions",
        "warner",
        "write",
    )  # fmt: skip

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """As a run begins."""
        for undo in undone_at_end:
            undo()
        self.grad = True
        self.first_number = next(sequence) + 1  # of the functions of this run
        self.inference = False
        self.anomaly = False
        self.check_nan = True
        self.special = False  # whether a mode has been entered that looks at every operation
        self.fused_attention = True  # whether `scaled_dot_product_attention` may be one function
        self.device: Any = None  # on which tensors are made where none is named; None for the CPU
        self.devices: list[Any] = []  # those before it, of the blocks that have been entered
        self.reduced = False  # whether there can be elements of bfloat16
        self.autocast: Any = None  # the region of mixed precision in force
        self.hooks_disabled: str | None = None
        self.levels: LevelStack | tuple[()] = ()  # the transformations of torch.func in progress, outermost first
        self.rows: tuple[Row, ...] = ()  # of which batches of passes one row runs, outermost first
        self.forward_pass = False  # whether the pass that runs is one half of a forward derivative
        self.batches = 0  # how many batches there have been
        self.filters: Any = None  # what the program does with warnings, once it has said so
        self.module_hooks: dict[str, Any] | None = None  # those for the calls of all modules, once there are some
        self.files: Any = None  # what the program has saved, once it has saved something
        self.classes: list[type] = []  # of the program: while it runs none of them is let go
        self.added_names: dict[type, dict[str, object]] = {}  # what the program set in classes of PyTorch
        self.module_attributes: dict[str, dict[str, object]] = {}  # what the program set in modules of PyTorch
        self.validates_distributions = True
        self.settings: dict[str, Any] = {}  # what the program has chosen, where it changes nothing but what it is told
        self.tree_nodes: dict[type, Any] = {}  # how objects of the program's classes are taken apart and put together
        self.overriding = False  # whether a class of the program has `__torch_function__`
        self.parametrized: dict[str, Any] = {"depth": 0, "held": {}, "classes": []}  # see `parametrize`
        self.function_modes: list[Any] = []  # the modes in force that `__torch_function__` is asked of, outermost first
        self.torch_functions = True  # whether `__torch_function__` of classes derived from tensors is asked
        self.distributions: dict[Any, Any] = {}  # what the program registered for distributions
        self.entered: Entered | None = None  # the module's call or the recorded pass that is running
        self.saved_hooks: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = []
        self.recorder: Recorder | None = None
        self.recorder_outside: Recorder | None = None  # that of the call, inside the code of a custom Function
        self.warner: Recorder | None = None  # who notes warnings, also of operations that are not recorded
        self.graph_task: GraphTask | None = None
        self.handles = count()  # of the hooks: programs can read their numbers
        self.write: Callable[[str], None] | None = None  # what the program prints goes there
        self.stopped: BaseException | None = None  # the limit that the program has reached

    def show(self, text: str) -> None:
        """Print a text, in a program that runs."""
        if self.write is not None:
            self.write(text)


STATE: Final = State()


METHOD_INSTALLERS: Final[list[Callable[[], None]]] = []
"""What gives Tensor its operators and methods. The engine's face enters it, and the first use of one calls it."""


@contextmanager
def grad_mode(enabled: bool) -> Iterator[None]:
    """Record gradients, or not, inside the block."""
    before, STATE.grad = STATE.grad, enabled
    try:
        yield
    finally:
        STATE.grad = before


@contextmanager
def unseen() -> Iterator[None]:
    """Leave the operations inside the block out of the trace, and hide them from the modes in force."""
    before = STATE.recorder, STATE.special
    STATE.recorder, STATE.special = None, False
    try:
        yield
    finally:
        STATE.recorder, STATE.special = before


@contextmanager
def unrecorded() -> Iterator[None]:
    """Leave the operations inside the block out of the trace; the modes in force see them, and warnings are noted."""
    recorder, STATE.recorder = STATE.recorder, None
    try:
        yield
    finally:
        STATE.recorder = recorder


@contextmanager
def inside_function() -> Iterator[None]:
    """The code of a custom Function: left out of the trace, but for what it computes with gradients of its own."""
    before = STATE.recorder, STATE.recorder_outside
    STATE.recorder, STATE.recorder_outside = None, STATE.recorder or STATE.recorder_outside
    try:
        yield
    finally:
        STATE.recorder, STATE.recorder_outside = before


@contextmanager
def recorded() -> Iterator[None]:
    """Inside the code of a custom Function: into the trace all the same."""
    before = STATE.recorder
    STATE.recorder = STATE.recorder or STATE.recorder_outside
    try:
        yield
    finally:
        STATE.recorder = before


def warn(message: str, category: str = "UserWarning", *, once: bool = False) -> None:
    """Note a warning in the trace, once for each place or once for the whole run."""
    if STATE.warner is None:
        return
    if not (STATE.filters and STATE.filters.takes(message, category)):
        STATE.warner.warn(category, message, once)
    elif STATE.filters.collected is None:
        STATE.warner.silenced(category, message)
