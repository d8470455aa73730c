"""Weights of a given length, of norm 1, or orthogonal, as parametrizations and in the form of before with hooks.

Sources: T. Salimans and D. Kingma, Weight normalization (2016); T. Miyato et al., Spectral normalization (2018); M.
Lezcano-Casado, Trivializations for gradient-based optimization on manifolds (2019).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradflow.engine import errors
from gradflow.engine.autograd.node import titled
from gradflow.engine.namespace.functional.activation import call
from gradflow.engine.namespace.functional.layers import normalize
from gradflow.engine.namespace.linalg import torch_linalg
from gradflow.engine.namespace.nn import init
from gradflow.engine.namespace.nn.module import Module
from gradflow.engine.namespace.nn.parameter import Parameter
from gradflow.engine.namespace.nn.parametrize import register_parametrization
from gradflow.engine.namespace.nn.state_dict import write
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import check_writable, exact_name
from gradflow.engine.state import grad_mode, warn
from gradflow.engine.tensor import Tensor, dtypes

_OLD = "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`."


def _norm_except(weight: Any, dim: int) -> Any:
    """The length of each slice along a dimension; of everything where that is -1."""
    if dim == -1:
        return titled(weight.norm(), "NormBackward0")
    others = tuple(d for d in range(weight.dim()) if d != dim % weight.dim())
    return weight.norm(2, others, True) if others else weight.abs()


def _with_length(weight_v: Any, weight_g: Any, dim: int) -> Any:
    if dim in (0, weight_v.dim() - 1):
        return call("weight_norm", weight_v, weight_g, dim)
    return call("mul", weight_v, call("div", weight_g, _norm_except(weight_v, dim)))


class _WeightNorm(Module):
    """weight_v in direction, weight_g in length."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """The weight."""
        return _with_length(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """Its length and direction."""
        return _norm_except(weight, self.dim), weight


def _need_parameter(module: Any, name: str) -> Any:
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise errors.MODULE_ARGUMENT(message=f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


def parametrized_weight_norm(module: Any, name: str = "weight", dim: int = 0) -> Any:
    """Let a weight be given by its direction and its length, as ``original1`` and ``original0``."""
    _need_parameter(module, name)
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


def _as_matrix(weight: Any, dim: int) -> Any:
    return _with_first(weight, dim).flatten(1)


def _with_first(weight: Any, dim: int) -> Any:
    return weight.permute(dim, *[d for d in range(weight.dim()) if d != dim]) if dim else weight


def _power(u: Tensor, v: Tensor, matrix: np.ndarray, times: int, eps: float, v_first: bool) -> None:
    """Bring two vectors nearer to the first singular vectors."""

    def unit(x: np.ndarray) -> np.ndarray:
        return x / max(np.linalg.norm(x), x.dtype.type(eps))

    for _ in range(times):
        if v_first:
            write(v, unit(matrix.T @ u._a))
        write(u, unit(matrix @ v._a))
        if not v_first:
            write(v, unit(matrix.T @ u._a))


def _unit_vector(size: int, like: Tensor, eps: float) -> Tensor:
    drawn = init.normal_(Tensor(np.zeros(size, like._a.dtype)))
    return normalize(drawn, dim=0, eps=eps)


def _check_power(count: int) -> None:
    if count <= 0:
        raise errors.MODULE_ARGUMENT(
            message=f"Expected n_power_iterations to be positive, but got n_power_iterations={count}"
        )


class _SpectralNorm(Module):
    """A weight over its largest singular value, which is estimated by one power iteration a step."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        if not -weight.dim() <= dim < weight.dim():
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{weight.dim()}, {weight.dim() - 1}] but got {dim})"
            )
        _check_power(n_power_iterations)
        self.dim, self.eps = dim % weight.dim(), eps
        if weight.dim() > 1:
            self.n_power_iterations = n_power_iterations
            matrix = _as_matrix(weight, self.dim)
            u, v = (_unit_vector(size, weight, eps) for size in matrix.shape)
            self.register_buffer("_u", u)
            self.register_buffer("_v", v)
            _power(u, v, matrix._a, 15, eps, v_first=False)

    def forward(self, weight: Any) -> Any:
        """The weight of norm 1."""
        if weight.dim() == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = _as_matrix(weight, self.dim)
        if self.training:
            _power(self._u, self._v, matrix._a, self.n_power_iterations, self.eps, v_first=False)
        u, v = self._u.clone(), self._v.clone()
        return weight / u.vdot(matrix.mv(v))

    def right_inverse(self, value: Any) -> Any:
        """The value itself."""
        return value


def parametrized_spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value each time it is read."""
    weight = _need_parameter(module, name)
    dim = _default_dim(module) if dim is None else dim
    with grad_mode(False):
        made = _SpectralNorm(weight.detach(), n_power_iterations, dim, eps)
    register_parametrization(module, name, made)
    return module


def _default_dim(module: Any) -> int:
    return int("ConvTranspose" in type(module).__name__)


class _Orthogonal(Module):
    """A matrix with orthonormal columns, or rows where there are more of these, made from any matrix."""

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, use_trivialization: bool = True) -> None:
        super().__init__()
        self.shape, self.orthogonal_map = weight.shape, orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        """The orthogonal matrix."""
        n, k = X.size(-2), X.size(-1)
        transposed = n < k
        X, n, k = (X.mT, k, n) if transposed else (X, n, k)
        Q = self._householder(X) if self.orthogonal_map == "householder" else self._skew(X, n, k)
        if "base" in self._buffers:
            Q = self.base @ Q
        return Q.mT if transposed else Q

    def _skew(self, X: Any, n: int, k: int) -> Any:
        X = X.tril()
        if n != k:
            zero = X.new_zeros(n, n - k).expand(*X.shape[:-2], -1, -1)
            X = call("cat", [X, zero], -1)
        A = X - X.mH
        if self.orthogonal_map == "matrix_exp":
            Q = A.matrix_exp()
        else:
            one: Any = Tensor(np.eye(n, dtype=X._a.dtype))
            Q = torch_linalg.LINALG["solve"](*(REGISTRY["add"].call(one, A, alpha=half) for half in (-0.5, 0.5)))
        return Q if n == k else Q[..., :k]

    def _householder(self, X: Any) -> Any:
        A = X.tril(-1)
        tau = 2.0 / (1.0 + (A * A).sum(-2))
        Q = torch_linalg.LINALG["householder_product"](A, tau)
        return Q * X.diagonal(0, -2, -1).int().unsqueeze(-2)

    def right_inverse(self, Q: Any) -> Any:
        """The matrix that gives this orthogonal one: minus the identity upon a base."""
        if Q.shape != self.shape:
            raise errors.MODULE_ARGUMENT(
                message=f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        start = Q
        n, k = Q.size(-2), Q.size(-1)
        transposed = n < k
        Q, n, k = (Q.mT, k, n) if transposed else (Q, n, k)
        if "base" not in self._buffers:
            if self.orthogonal_map in ("cayley", "matrix_exp"):
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley"
                    " parametrizations when use_trivialization=False."
                )
            return _reflections(Q, transposed)
        if n != k:
            more = init.normal_(Tensor(np.zeros((*Q.shape[:-2], n, n - k), Q._a.dtype)))
            Q = call("cat", [Q, more], -1)
        elif _is_orthogonal(Q._a):
            self.base = Q.clone()
            return _minus_identity(start)
        self.base = _made_orthogonal(Q._a)
        return _minus_identity(start)


def _minus_identity(like: Any) -> Any:
    out = np.zeros_like(like._a)
    size = range(min(out.shape[-2:]))
    out[..., size, size] = -1
    return Tensor(out)


def _is_orthogonal(Q: np.ndarray) -> bool:
    n, k = Q.shape[-2:]
    eps = 10.0 * n * dtypes.limits(Q.dtype).eps
    return bool(np.allclose(np.swapaxes(Q, -1, -2) @ Q, np.eye(k, dtype=Q.dtype), atol=eps))


def _made_orthogonal(A: np.ndarray) -> Tensor:
    q, r = np.linalg.qr(A)
    return Tensor((q * np.sign(np.diagonal(r, axis1=-2, axis2=-1))[..., None, :]).astype(A.dtype))


def _reflections(Q: Any, transposed: bool) -> Any:
    factors, tau = Q.geqrf()
    A = factors._a.copy()
    size = range(A.shape[-1])
    diagonal = np.sign(A[..., size, size])
    A[..., size, size] = np.where(tau._a == 0, -diagonal, diagonal)
    return Tensor(np.swapaxes(A, -1, -2) if transposed else A)


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Let a weight be an orthogonal matrix, whatever the optimizer does."""
    weight = _need_parameter(module, name)
    if weight.dim() < 2:
        raise errors.MODULE_ARGUMENT(
            message=f"Expected a matrix or batch of matrices. Got a tensor of {weight.dim()} dimensions."
        )
    square = weight.shape[-2] == weight.shape[-1] or weight.is_complex()
    chosen = orthogonal_map or ("matrix_exp" if square else "householder")
    if chosen not in ("matrix_exp", "cayley", "householder"):
        raise errors.MODULE_ARGUMENT(
            message='orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: ' + str(chosen)
        )
    register_parametrization(module, name, _Orthogonal(weight, chosen, use_trivialization), unsafe=True)
    return module


# -- in the form of before: hooks that compute the weight before each call ------------------------------------------------


class _Hook:
    """Computes a weight before the module is called."""

    def __init__(self, name: str, dim: int, times: int = 0, eps: float = 0.0) -> None:
        self.name, self.dim, self.times, self.eps = name, dim, times, eps

    def __call__(self, module: Any, inputs: Any) -> None:
        _check_name(module, self.name)
        setattr(module, self.name, self.made(module, module.training))

    def made(self, module: Any, training: bool) -> Any:
        """The weight."""
        raise NotImplementedError


class _WeightHook(_Hook):
    def made(self, module: Any, training: bool) -> Any:
        return _with_length(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)


class _SpectralHook(_Hook):
    def made(self, module: Any, training: bool) -> Any:
        weight, u, v = (getattr(module, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        matrix = _with_first(weight, self.dim).reshape(weight.size(self.dim), -1)
        if training:
            _power(u, v, matrix._a, self.times, self.eps, v_first=True)
            u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))


def _hooked(module: Any, hook: _Hook) -> Any:
    what = "weight_norm" if isinstance(hook, _WeightHook) else "spectral_norm"
    for held in module._forward_pre_hooks.values():
        if type(held) is type(hook) and held.name == hook.name:
            raise errors.MODULE_RUNTIME(message=f"Cannot register two {what} hooks on the same parameter {hook.name}")
    weight = module._parameters[hook.name]
    if weight is None:
        raise errors.MODULE_ARGUMENT(
            message=f"`{type(hook).__name__[1:-4]}Norm` cannot be applied as parameter `{hook.name}` is None"
        )
    del module._parameters[hook.name]
    return weight


def _check_module(module: Any) -> None:
    """Raises TypeError for anything else: attributes are set past the gate."""
    if not issubclass(type(module), Module):
        raise TypeError(f"{type(module).__name__} is not a Module")


def _check_name(module: Any, name: Any) -> None:
    """Raises also for names that the program could not write."""
    _check_module(module)
    check_writable(module, exact_name(name))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Let a weight be given by its length ``weight_g`` and its direction ``weight_v``."""
    _check_name(module, name)
    warn(_OLD, "FutureWarning")
    hook = _WeightHook(name, -1 if dim is None else dim)
    weight = _hooked(module, hook)
    with grad_mode(False):
        length = _norm_except(weight, hook.dim)
    module.register_parameter(f"{name}_g", Parameter(length))
    module.register_parameter(f"{name}_v", Parameter(weight.detach()))
    setattr(module, name, hook.made(module, False))
    module.register_forward_pre_hook(hook)
    return module


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight, now ``weight_orig``, by its largest singular value before each call."""
    _check_name(module, name)
    _check_power(n_power_iterations)
    hook = _SpectralHook(name, _default_dim(module) if dim is None else dim, n_power_iterations, eps)
    weight = _hooked(module, hook)
    with grad_mode(False):
        shape = _as_matrix(weight.detach(), hook.dim).shape
        u, v = (_unit_vector(size, weight, eps) for size in shape)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    module.register_buffer(f"{name}_u", u)
    module.register_buffer(f"{name}_v", v)
    module.register_forward_pre_hook(hook)
    return module


def _removed(module: Any, cls: type, name: str, parts: str) -> Any:
    _check_name(module, name)
    for number, hook in list(module._forward_pre_hooks.items()):
        if isinstance(hook, cls) and hook.name == name:  # type: ignore[attr-defined]  # one of the hooks above
            with grad_mode(False):
                weight = hook.made(module, False)  # type: ignore[attr-defined]  # one of the hooks above
            for part in ("", *(f"_{each}" for each in parts.split())):
                delattr(module, f"{name}{part}")
            module.register_parameter(name, Parameter(weight.detach()))
            del module._forward_pre_hooks[number]
            return module
    what = "weight_norm" if cls is _WeightHook else "spectral_norm"
    raise errors.MODULE_ARGUMENT(message=f"{what} of '{name}' not found in {module}")


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a parameter again."""
    return _removed(module, _WeightHook, name, "g v")


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Make the weight a parameter again."""
    return _removed(module, _SpectralHook, name, "u v orig")


PARAMETRIZATIONS: dict[str, Any] = {
    "weight_norm": parametrized_weight_norm, "spectral_norm": parametrized_spectral_norm, "orthogonal": orthogonal,
}  # fmt: skip
FUNCTIONS: dict[str, Any] = {
    f.__name__: f for f in (weight_norm, spectral_norm, remove_weight_norm, remove_spectral_norm)
}
