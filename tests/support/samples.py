"""The samples of the operations, which stand in their declarations, as calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import gradflow.engine.ops  # noqa: F401  # declares the operations
from gradflow.backend.jail.outcome import to_json
from gradflow.engine.autograd import backward
from gradflow.engine.recording.recorder import Recorder
from gradflow.engine.registry import REGISTRY, Op, Sample
from gradflow.engine.run import _fresh_state, _Session
from gradflow.engine.sandbox.program import PROGRAM_FILE, check
from gradflow.engine.tensor import Tensor


class Call:
    """One sample as a function of the tensors that have a gradient."""

    def __init__(self, op: Op, sample: Sample, *, double: bool = True) -> None:
        self.op, self.double = op, double
        self.options = dict(sample[-1]) if sample and isinstance(sample[-1], dict) else {}
        given = sample[:-1] if self.options else sample
        self.arguments = [self.argument(p, value) for p, value in zip(self.parameters(len(given)), given, strict=True)]
        self.leaves = [t for t in self.tensors() if t.requires_grad]

    def parameters(self, count: int) -> list[Any]:
        """The parameter of each argument; a size may be spread over several."""
        own = list(self.op.params)
        return own + [own[-1]] * (count - len(own)) if own[-1].spread else own[:count]

    def argument(self, parameter: Any, value: Any) -> Any:
        if value is None or parameter.kind == "setting":
            return value
        if parameter.kind == "operand" and not isinstance(value, list):
            return value
        wanted = parameter.name in self.op.texts
        if parameter.kind == "tensors":
            return [self.tensor(each, wanted) for each in value]
        return self.tensor(value, wanted)

    def tensor(self, values: Any, wanted: bool) -> Tensor:
        """Numbers as a tensor: of double precision for the differences, else as ``torch.tensor`` has them."""
        array = np.array(values)
        if array.dtype.kind in "ib" and not (wanted and self.double):
            return Tensor(array)
        kinds = (np.complex64, np.complex128) if array.dtype.kind == "c" else (np.float32, np.float64)
        return Tensor(array.astype(kinds[self.double]), requires_grad=wanted)

    def tensors(self) -> Iterator[Tensor]:
        for argument in self.arguments:
            yield from (t for t in (argument if isinstance(argument, list) else [argument]) if isinstance(t, Tensor))

    def outputs(self, function: Callable[..., Any] | None = None) -> list[Tensor]:
        """The results that have a gradient."""
        results = (function or self.op.call)(*self.arguments, **self.options)
        every = [results] if isinstance(results, Tensor) else list(results)
        return [r for r in every if r._a.dtype.kind in "fc"]

    def projected(self, directions: list[Tensor]) -> float:
        return projection(self.outputs(), directions)

    def gradients(self, directions: list[Tensor], create: bool) -> list[Tensor]:
        found = backward.grad(self.outputs(), self.leaves, directions, create_graph=create, materialize_grads=True)
        return [g for g in found if g is not None]


def projection(values: list[Tensor], directions: list[Tensor]) -> float:
    return float(sum((v._a * d._a.conj()).real.sum() for v, d in zip(values, directions, strict=True)))


def has_complex(value: Any) -> bool:
    """Whether there is a complex number in a sample."""
    if isinstance(value, list | tuple):
        return any(map(has_complex, value))
    return value.dtype.kind == "c" if isinstance(value, np.ndarray) else isinstance(value, complex)


def random_like(arrays: list[np.ndarray], seed: int) -> list[Tensor]:
    generator = np.random.default_rng(seed)

    def parts(array: np.ndarray) -> np.ndarray:
        return np.asarray(generator.uniform(0.5, 1.5, array.shape) * generator.choice([-1.0, 1.0], array.shape))

    return [Tensor(np.asarray(parts(a) + 1j * parts(a)) if a.dtype.kind == "c" else parts(a)) for a in arrays]


def samples() -> Iterator[tuple[str, Op, Sample]]:
    """All of them, with a name for each."""
    return ((f"{op.name}-{place}", op, sample) for op in REGISTRY for place, sample in enumerate(op.samples))


def record_sample(op: Op, sample: Sample) -> bytes:
    """The trace of a run that computes a sample and differentiates it twice where it can, with the Jacobians."""
    recorder = Recorder(PROGRAM_FILE, gradients={}, jacobian=True, operations=10_000)
    session = _Session(check("compute()"), recorder, {})
    session.namespace["compute"] = lambda: _differentiate_twice(Call(op, sample, double=False))
    with _fresh_state(recorder):
        session.execute()
        return to_json(session.trace(256))


def _differentiate_twice(call: Call) -> None:
    outputs = [output for output in call.outputs() if output.requires_grad]
    if not outputs:
        return
    directions = random_like([output._a for output in outputs], seed=1)
    for direction in directions:
        direction._rg = True
    gradients = [gradient for gradient in call.gradients(directions, create=True) if gradient.requires_grad]
    if gradients:
        backward.grad(gradients, call.leaves, random_like([g._a for g in gradients], seed=2), materialize_grads=True)
