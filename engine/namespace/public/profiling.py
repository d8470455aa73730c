"""``torch.profiler``, ``torch.autograd.profiler``, ``torch.utils.benchmark`` and ``.tensorboard``: nothing is measured here.

Times on this machine would say nothing about PyTorch's. What is profiled runs, schedules and callbacks run as there,
tables are empty and say so, and a measurement of the benchmark is NaN.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from contextlib import ContextDecorator
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.sandbox.library.scripts.plots import Drawing
from gradflow.engine.state import warn

_NOTE: Final = "{name} measures nothing here: the program runs as it is, and its table of times is empty."
_EMPTY: Final = "Gradflow measures no times: this table is empty.\n"


class ProfilerActivity(enum.Enum):
    """What a profiler would look at."""

    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5

    def __repr__(self) -> str:
        return f"<ProfilerActivity.{self.name}: {self.value}>"


class ProfilerAction(enum.Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class EventList(list[Any]):
    """The events that were measured: none."""

    def table(self, *settings: Any, **more: Any) -> str:
        """A sentence in place of a table."""
        return _EMPTY

    def key_averages(self, *settings: Any, **more: Any) -> EventList:
        """The events by name: none."""
        return self

    def total_average(self) -> EventList:
        """Their sum: none."""
        return self

    def export_chrome_trace(self, path: Any) -> None:
        """Nothing to export."""

    self_cpu_time_total = property(lambda self: 0.0)

    def __str__(self) -> str:
        return _EMPTY


class profile:
    """``torch.profiler.profile`` and ``torch.autograd.profiler.profile``: a block that is left as it is."""

    _name = "torch.profiler"

    def __init__(
        self,
        enabled: Any = True,
        *,
        activities: Any = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        **settings: Any,
    ) -> None:
        self.step_num, self._started = 0, False
        self._schedule, self._ready = schedule, on_trace_ready
        self._events = EventList()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin."""
        self._started = True
        warn(_NOTE.format(name=self._name), "Note", once=True)

    def stop(self) -> None:
        """End; without a schedule, the callback is due."""
        if not self._started and type(self) is profile:
            raise errors.MODULE_ASSERTION(message="Profiler must be initialized before stopping trace")
        records = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if self._ready is not None and (self._schedule is None or self._schedule(self.step_num) in records):
            self._ready(self)

    def step(self) -> None:
        """Another step of the schedule; behind the last one of a cycle, the callback is due."""
        saves = self._schedule is not None and self._schedule(self.step_num) is ProfilerAction.RECORD_AND_SAVE
        self.step_num += 1
        if saves and self._ready is not None:
            self._ready(self)

    def key_averages(self, *settings: Any, **more: Any) -> EventList:
        """No events."""
        return self._events

    def events(self) -> EventList:
        """No events."""
        return self._events

    function_events = property(events)
    self_cpu_time_total = property(lambda self: 0.0)

    def table(self, *settings: Any, **more: Any) -> str:
        """A sentence in place of a table."""
        return _EMPTY

    def total_average(self) -> EventList:
        """No events."""
        return self._events

    def export_chrome_trace(self, path: Any) -> None:
        """Nothing to export."""

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Nothing to export."""

    def add_metadata(self, key: str, value: str) -> None:
        """Nothing to add to."""

    def __str__(self) -> str:
        return _EMPTY


class autograd_profile(profile):
    """``torch.autograd.profiler.profile``."""

    _name = "torch.autograd.profiler"


class record_function(ContextDecorator):
    """A named block, or a function that is one."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self._entered = name, False

    def __enter__(self) -> record_function:
        self._entered = True
        return self

    def __exit__(self, *error: object) -> None:
        if not self._entered:
            raise errors.MODULE_ASSERTION(message="Expected record to be set")


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """What is done in which step. Raises AssertionError for negative numbers, and where no step is active."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise errors.MODULE_ASSERTION(
            message=f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), warmup={warmup} (need >= 0), "
            f"active={active} (need > 0), repeat={repeat} (need >= 0), skip_first={skip_first} (need >= 0)."
        )

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        step += wait if skip_first_wait else 0
        cycle = wait + warmup + active
        if repeat > 0 and step / cycle >= repeat:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def _handler(dir_name: Any, worker_name: Any = None, use_gzip: bool = False) -> Callable[[Any], None]:
    """``tensorboard_trace_handler``: nothing to hand on."""
    return lambda prof: None


# -- torch.utils.benchmark ---------------------------------------------------------------------------------------------


class Measurement:
    """A measurement that was not made: its times are NaN."""

    def __init__(self, runs: int, settings: dict[str, Any]) -> None:
        self.number_per_run, self.times = runs, [math.nan]
        self.label, self.sub_label = settings.get("label"), settings.get("sub_label")
        self.description, self.num_threads = settings.get("description"), settings.get("num_threads", 1)

    mean = median = iqr = property(lambda self: math.nan)

    def __repr__(self) -> str:
        return f"<torch.utils.benchmark.utils.common.Measurement>\n{self.label or ''}\n  Gradflow measures no times"


class Timer:
    """``torch.utils.benchmark.Timer``: its statements, which are texts, are not run."""

    def __init__(self, stmt: str = "pass", setup: str = "pass", *given: Any, **settings: Any) -> None:
        self._settings = settings

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """No measurement."""
        warn(_NOTE.format(name="torch.utils.benchmark"), "Note", once=True)
        return Measurement(number, self._settings)

    def blocked_autorange(self, callback: Any = None, min_run_time: float = 0.2) -> Measurement:
        """No measurement."""
        return self.timeit(1)

    adaptive_autorange = blocked_autorange


class Compare:
    """``torch.utils.benchmark.Compare``: a table of measurements, of which there are none."""

    def __init__(self, results: list[Measurement]) -> None:
        self._results = list(results)

    def extend_results(self, results: list[Measurement]) -> None:
        """More of them."""
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        """Nothing to trim."""

    def colorize(self, rowwise: bool = False) -> None:
        """Nothing to colour."""

    def print(self) -> None:
        """Nothing to print; the note of `Timer.timeit` says why."""

    def __str__(self) -> str:
        return _EMPTY


def SummaryWriter(*given: Any, **settings: Any) -> Drawing:
    """``torch.utils.tensorboard.SummaryWriter``: what is written for a board is not kept."""
    return Drawing("SummaryWriter")


_READABLE: Final[dict[type, str]] = {
    EventList: "append count export_chrome_trace extend index key_averages self_cpu_time_total sort table total_average",
    profile: "add_metadata events export_chrome_trace export_stacks function_events key_averages self_cpu_time_total"
    " start step step_num stop table total_average",
    record_function: "name",
    Measurement: "description iqr label mean median num_threads number_per_run sub_label times",
    Timer: "adaptive_autorange blocked_autorange timeit",
    Compare: "colorize extend_results print trim_significant_figures",
}
_HOMES: Final = {
    EventList: "torch.autograd.profiler_util", profile: "torch.profiler.profiler", Timer: "torch.utils.benchmark.utils.timer",
    autograd_profile: "torch.autograd.profiler", record_function: "torch.autograd.profiler",
    Measurement: "torch.utils.benchmark.utils.common", Compare: "torch.utils.benchmark.utils.compare",
    ProfilerActivity: "torch._C._profiler", ProfilerAction: "torch.profiler.profiler",
}  # fmt: skip


def members() -> dict[str, dict[str, Any]]:
    """What the modules show, by their full names."""
    for cls, names in _READABLE.items():
        allow(cls, names.split(), shown_as=cls)
    for cls, home in _HOMES.items():
        cls.__module__ = home
    autograd_profile.__name__ = autograd_profile.__qualname__ = "profile"
    for kinds in (ProfilerActivity, ProfilerAction):
        allow(kinds, ("name", "value", *kinds.__members__), shown_as=kinds)
    return {
        "torch.profiler": {
            "profile": profile,
            "record_function": record_function,
            "schedule": schedule,
            "tensorboard_trace_handler": _handler,
            "ProfilerActivity": ProfilerActivity,
            "ProfilerAction": ProfilerAction,
            "supported_activities": lambda: {ProfilerActivity.CPU},
        },
        "torch.autograd.profiler": {"profile": autograd_profile, "record_function": record_function},
        "torch.utils.tensorboard": {"SummaryWriter": SummaryWriter},
        "torch.utils.benchmark": {"Timer": Timer, "Measurement": Measurement, "Compare": Compare},
    }
