"""The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno.

Sources: J. Nocedal and S. Wright, Numerical Optimization (2006), chapters 3 and 7.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradflow.engine import errors
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.namespace.optim.held_state import params_of
from gradflow.engine.namespace.optim.optimizer import Group, Optimizer, at_least_0, plus, recorded, run_hooked
from gradflow.engine.namespace.tensor_arguments import has
from gradflow.engine.state import STATE, grad_mode
from gradflow.engine.tensor import Tensor

Point = tuple[float, np.ndarray]
"""The loss somewhere, and its gradient as one vector."""


class _Problem(NamedTuple):
    """What is moved, and what computes the loss and its gradients anew."""

    params: list[Tensor]
    closure: Callable[[], Any]


class LBFGS(Optimizer):
    """Steps by an estimate of the inverse Hessian from the last gradients; evaluates the loss several times a step."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        at_least_0(defaults, (("lr", "learning rate"),))
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise errors.OPTIMIZER_ARGUMENT(message="LBFGS doesn't support per-parameter options (parameter groups)")

    def _take(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # the closure is needed here
        """Several steps of the method; gives the first loss."""
        group = self.param_groups[0]
        params = params_of(group)
        state = self.state[params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first = _evaluate(closure)
        state["func_evals"] += 1
        with grad_mode(False):
            gradient = _gradient(params)
            if np.abs(gradient).max() > group["tolerance_grad"]:
                _iterate(_Problem(params, closure), (_number(first), gradient), group, state)
        return first

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]  # the closure is needed here
        """Change the parameters by several steps of the method; ``closure`` computes the loss and its gradients."""
        return run_hooked(self, partial(recorded, self), (closure,), {})


def _evaluate(closure: Callable[[], Any]) -> Any:
    if STATE.recorder is not None:
        STATE.recorder.chronology.shown_to_closure()
    with grad_mode(True):
        return closure()


def _gradient(params: list[Tensor]) -> np.ndarray:
    return np.concatenate([(np.zeros_like(p._a) if p._grad is None else p._grad._a).reshape(-1) for p in params])


def _move(params: list[Tensor], way: np.ndarray, length: float) -> None:
    start = 0
    for p in params:
        part = way[start : start + p._a.size].reshape(p._a.shape)
        write(p, plus(p._a, part, length))
        start += p._a.size


def _iterate(problem: _Problem, point: Point, group: Group, state: dict[str, Any]) -> None:
    params, closure = problem
    evaluations, (loss, gradient) = 1, point
    memory = _Memory(state, group["history_size"])
    for turn in range(1, group["max_iter"] + 1):
        state["n_iter"] += 1
        way = memory.direction(gradient)
        memory.gradient, before = gradient.copy(), loss
        lr = float(group["lr"])
        length = min(1.0, 1.0 / float(np.abs(gradient).sum())) * lr if state["n_iter"] == 1 else lr
        slope = float(gradient @ way)
        if slope > -group["tolerance_change"]:
            memory.way, memory.length = way, length
            break
        spent = 0
        if group["line_search_fn"] is not None:
            if group["line_search_fn"] != "strong_wolfe":
                raise errors.MODULE_RUNTIME(message="only 'strong_wolfe' is supported")
            start = [p._a.copy() for p in params]
            search = _Search(partial(_at, problem, start, way), way)
            left = group["max_eval"] - evaluations
            (loss, gradient), length, spent = search.run(length, (loss, gradient), slope, left)
            _move(params, way, length)
        else:
            _move(params, way, length)
            if turn != group["max_iter"]:
                loss, spent = _number(_evaluate(closure)), 1
                gradient = _gradient(params)
        memory.way, memory.length = way, length
        evaluations += spent
        state["func_evals"] += spent
        small = np.abs(way * way.dtype.type(length)).max() <= group["tolerance_change"]
        flat = np.abs(gradient).max() <= group["tolerance_grad"]
        if evaluations >= group["max_eval"] or flat or small or abs(loss - before) < group["tolerance_change"]:
            break
    memory.keep(before)


def _at(problem: _Problem, start: list[np.ndarray], way: np.ndarray, length: float) -> Point:
    """The loss and its gradient a length away; the parameters stay where they were."""
    params, closure = problem
    _move(params, way, length)
    loss = _number(_evaluate(closure))
    gradient = _gradient(params)
    for p, held in zip(params, start, strict=True):
        write(p, held)
    return loss, gradient


def _number(loss: Any) -> float:
    """The loss as a number."""
    return float(loss.detach() if isinstance(loss, Tensor) else loss)


def _array(held: Any, method: str) -> Any:
    return None if held is None else has(held, method)._a


class _Memory:
    """The last steps and changes of the gradient, in the optimizer's state."""

    def __init__(self, state: dict[str, Any], size: int) -> None:
        self.state, self.size = state, size
        self.way: Any = _array(state.get("d"), "mul")
        self.length: float = state.get("t", 0.0)
        self.gradient: Any = _array(state.get("prev_flat_grad"), "copy_")
        self.changes = [has(t, "dot")._a for t in state.get("old_dirs", ())]
        self.steps = [has(t, "dot")._a for t in state.get("old_stps", ())]
        self.inverse: list[Any] = list(state.get("ro", ()))
        self.scale: Any = state.get("H_diag", 1)

    def direction(self, gradient: np.ndarray) -> np.ndarray:
        """Minus the inverse Hessian, as far as it is known, times the gradient."""
        if self.gradient is None:
            return -gradient
        scalar_type = gradient.dtype.type
        change, step = gradient - self.gradient, self.way * scalar_type(self.length)
        curvature = change @ step
        if curvature > 1e-10:
            if len(self.steps) == self.size:
                for held in (self.changes, self.steps, self.inverse):
                    held.pop(0)
            self.changes.append(change)
            self.steps.append(step)
            self.inverse.append(scalar_type(1.0) / curvature)
            self.scale = curvature / (change @ change)
        return self._product(-gradient)

    def _product(self, q: np.ndarray) -> np.ndarray:
        weights: list[Any] = []
        for change, step, inverse in zip(self.changes[::-1], self.steps[::-1], self.inverse[::-1], strict=True):
            weights.append((step @ q) * inverse)
            q = plus(q, change, -float(weights[-1]))
        r: np.ndarray = q * q.dtype.type(self.scale)
        for change, step, inverse, weight in zip(self.changes, self.steps, self.inverse, weights[::-1], strict=True):
            r = plus(r, step, float(weight - (change @ r) * inverse))
        return r

    def keep(self, loss: float) -> None:
        """Put all of it into the state."""
        self.state.update(
            d=Tensor(self.way),
            t=self.length,
            old_dirs=[Tensor(a) for a in self.changes],
            old_stps=[Tensor(a) for a in self.steps],
            ro=self.inverse,
            H_diag=self.scale,
            prev_flat_grad=Tensor(self.gradient),
            prev_loss=loss,
        )


def _between(a: tuple[float, Point, float], b: tuple[float, Point, float], bounds: tuple[float, float]) -> float:
    """The least point of the cubic through two points with their slopes, within bounds."""
    (x1, (f1, _), g1), (x2, (f2, _), g2) = a, b
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if square < 0:
        return (bounds[0] + bounds[1]) / 2.0
    d2 = math.sqrt(square)
    if x1 > x2:
        x1, x2, g1, g2 = x2, x1, g2, g1
    least = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    return min(max(least, bounds[0]), bounds[1])


class _Search:
    """A search along a direction for a point that satisfies the strong conditions of Wolfe."""

    DECREASE, CURVATURE, SMALLEST = 1e-4, 0.9, 1e-9

    def __init__(self, evaluate: Callable[[float], Point], way: np.ndarray) -> None:
        self.evaluate, self.way, self.count, self.turns = evaluate, way, 0, 0

    def _look(self, t: float) -> tuple[float, Point, float]:
        point = self.evaluate(t)
        self.count += 1
        return t, point, float(point[1] @ self.way)

    def run(self, t: float, start: Point, slope: float, limit: int) -> tuple[Point, float, int]:
        """The point that was found, how far it is, and how often the loss was evaluated."""
        self.start, self.slope, self.limit = start, slope, limit
        bracket, done = self._bracket(t)
        if not done:
            bracket = self._zoom(bracket)
        best = min(bracket, key=lambda each: each[1][0])
        return best[1], best[0], self.count

    def _too_high(self, at: tuple[float, Point, float]) -> bool:
        return at[1][0] > self.start[0] + self.DECREASE * at[0] * self.slope

    def _bracket(self, t: float) -> tuple[list[tuple[float, Point, float]], bool]:
        first = before = (0.0, self.start, self.slope)
        now = self._look(t)
        while self.turns < self.limit:
            if self._too_high(now) or (self.turns > 1 and now[1][0] >= before[1][0]):
                return [before, now], False
            if abs(now[2]) <= -self.CURVATURE * self.slope:
                return [now], True
            if now[2] >= 0:
                return [before, now], False
            bounds = (now[0] + 0.01 * (now[0] - before[0]), now[0] * 10)
            further = _between(before, now, bounds)
            before, now = now, self._look(further)
            self.turns += 1
        return [first, now], False

    def _zoom(self, bracket: list[tuple[float, Point, float]]) -> list[tuple[float, Point, float]]:
        low, high = sorted(bracket, key=lambda each: each[1][0])
        stuck, longest = False, float(np.abs(self.way).max())
        while self.turns < self.limit and abs(high[0] - low[0]) * longest >= self.SMALLEST:
            left, right = sorted((low[0], high[0]))
            t = _between(*self._ordered(low, high), (left, right))
            t, stuck = _away(t, left, right, stuck)
            now = self._look(t)
            self.turns += 1
            if self._too_high(now) or now[1][0] >= low[1][0]:
                high = now
                low, high = sorted((low, high), key=lambda each: each[1][0])
                continue
            if abs(now[2]) <= -self.CURVATURE * self.slope:
                return [now]
            if now[2] * (high[0] - low[0]) >= 0:
                high = low
            low = now
        return [low, high]

    def _ordered(
        self, low: tuple[float, Point, float], high: tuple[float, Point, float]
    ) -> tuple[tuple[float, Point, float], tuple[float, Point, float]]:
        return (low, high) if low[0] <= high[0] else (high, low)


def _away(t: float, left: float, right: float, stuck: bool) -> tuple[float, bool]:
    """The next place to look, not too close to an end of the bracket for the second time."""
    margin = 0.1 * (right - left)
    if min(right - t, t - left) >= margin:
        return t, False
    if not stuck and left < t < right:
        return t, True
    return (right - margin if abs(t - right) < abs(t - left) else left + margin), False


CLASSES = (LBFGS,)
