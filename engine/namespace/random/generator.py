"""``torch.Generator``, and the one that is used where a call names none: its seed and its state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.numerics import mersenne_twister
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import allow
from gradflow.engine.state import STATE, warn
from gradflow.engine.tensor import Tensor

UNSEEDED = (
    "No seed was set: PyTorch would draw other numbers at every run. Here a run without torch.manual_seed(...) always "
    "draws the same ones, so that it can be repeated."
)


class Generator:
    """A source of random numbers of its own."""

    def __init__(self, device: Any = "cpu") -> None:
        if str(device).partition(":")[0] != "cpu":
            raise errors.GENERATOR_DEVICE()
        self.source = mersenne_twister.MersenneTwister()

    @property
    def device(self) -> Any:
        """Always the CPU."""
        return Tensor(np.zeros(0)).device

    def manual_seed(self, seed: Any) -> Generator:
        """Begin from a seed. Raises ValueError for one of more than 64 bits."""
        self.source.start(_as_seed(seed))
        self.source.seeded = True
        return self

    def seed(self) -> int:
        """Begin from a seed that nobody chose, and tell it; here it is always the same."""
        self.source.start(mersenne_twister.OWN_SEED)
        return mersenne_twister.OWN_SEED

    def initial_seed(self) -> int:
        """The seed that the numbers began from."""
        return self.source.seed

    def get_state(self) -> Tensor:
        """Where the numbers have come to, as a tensor of bytes."""
        state: Tensor = REGISTRY["tensor"].call(self.source.state())
        return state

    def set_state(self, new_state: Any) -> Generator:
        """Go on from a state. Raises TypeError or RuntimeError for a tensor that is none."""
        if not isinstance(new_state, Tensor) or new_state._a.dtype != np.uint8:
            raise errors.GENERATOR_STATE_TYPE()
        if new_state._a.size != mersenne_twister.STATE_SIZE:
            raise errors.GENERATOR_STATE_SIZE(expected=mersenne_twister.STATE_SIZE, actual=new_state._a.size)
        self.source.restore(new_state._a)
        return self

    def clone_state(self) -> Generator:
        """Another generator that goes on from the same state."""
        twin = Generator()
        twin.source.restore(self.source.state())
        return twin

    def __copy__(self) -> Generator:
        return self.clone_state()

    def __deepcopy__(self, memo: Any) -> Generator:
        return self.clone_state()

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.clone_state, ()


Generator.__module__, Generator.__qualname__ = "torch._C", "Generator"
allow(
    Generator,
    ("device", "manual_seed", "seed", "initial_seed", "get_state", "set_state", "clone_state"),
    shown_as=Generator,
    called=lambda _: "torch._C.Generator",
    copyable=True,
)

DEFAULT = Generator()
DEFAULT.source = mersenne_twister.GENERATOR


def source_of(generator: Generator | None) -> mersenne_twister.MersenneTwister:
    """The source of random words that a call names. Notes where it is one that the program never seeded."""
    if STATE.levels:
        STATE.levels.check_random()
    if generator is not None:
        return generator.source
    if not mersenne_twister.GENERATOR.seeded:
        warn(UNSEEDED, "Note", once=True)
    return mersenne_twister.GENERATOR


def _as_seed(seed: Any) -> int:
    number = int(seed)
    if not -(2**63) <= number < 2**64:
        raise errors.SEED_RANGE()
    return number


def manual_seed(seed: Any) -> Generator:
    """Begin the random numbers from a seed."""
    return DEFAULT.manual_seed(seed)


def seed() -> int:
    """Begin the random numbers from a seed that nobody chose."""
    return DEFAULT.seed()


def initial_seed() -> int:
    """The seed that the random numbers began from."""
    return DEFAULT.initial_seed()


def get_rng_state() -> Tensor:
    """Where the random numbers have come to, as a tensor of bytes."""
    return DEFAULT.get_state()


def set_rng_state(new_state: Any) -> None:
    """Go on with the random numbers from a state."""
    DEFAULT.set_state(new_state)


@contextmanager
def _forked(enabled: bool) -> Iterator[None]:
    if not enabled:
        yield
        return
    source = mersenne_twister.GENERATOR
    before, seeded = source.state(), source.seeded
    try:
        yield
    finally:
        source.restore(before)
        source.seeded = seeded


def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str = "cuda",
) -> Any:
    """A block after which the random numbers go on as if it had not been."""
    return _forked(enabled)


NAMES = {
    "Generator": Generator, "default_generator": DEFAULT, "manual_seed": manual_seed, "seed": seed,
    "initial_seed": initial_seed, "get_rng_state": get_rng_state, "set_rng_state": set_rng_state,
}  # fmt: skip
"""The names in ``torch``; ``torch.random`` has these functions too, and ``fork_rng``."""
