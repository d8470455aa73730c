"""The methods of ``torch.nn.utils.prune``: parameters multiplied by a mask of zeros and ones before every call of their module.

The parameter is kept as ``weight_orig`` and the mask as the buffer ``weight_mask``; ``weight`` is their product.
Source: https://pytorch.org/docs/stable/nn.html#torch.nn.utils.prune
"""

from __future__ import annotations

import numbers
from collections.abc import Iterator
from typing import Any, Final

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module_attributes import Registering
from gradflow.engine.namespace.random import creation as random
from gradflow.engine.namespace.tensor_arguments import need
from gradflow.engine.sandbox.gate import exact_name, is_public, read_attribute, type_name
from gradflow.engine.sandbox.special_names import is_special
from gradflow.engine.state import grad_mode, unrecorded


class BasePruningMethod:
    """A way to choose a mask. As a forward pre-hook of a module it computes the pruned tensor anew."""

    _tensor_name: str | None = None
    PRUNING_TYPE: str

    def __call__(self, module: Any, inputs: Any) -> None:
        name = self._name(module)  # read once: a class of the program could give another one the next time
        check(module, name)
        if f"{name}_orig" not in module._parameters:
            raise errors.MODULE_ASSERTION(message=f"Module {module} has to be pruned")
        setattr(module, name, self.apply_mask(module))

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask for importance scores ``t``, where ``default_mask`` has been pruned already."""
        raise NotImplementedError

    def apply_mask(self, module: Any) -> Any:
        """The product of mask and original."""
        return _masked(module, self._name(module))

    def _name(self, module: Any) -> str:
        name = self._tensor_name
        if name is None:
            raise errors.MODULE_ASSERTION(message=f"Module {module} has to be pruned")
        check(module, name)
        return name

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any) -> Any:
        """Prune a parameter of a module, after what has pruned it before. Gives the method, or the container of all."""
        check(module, name)
        method = _composed(module, name, as_method(cls(*args, **kwargs)))
        original = read_attribute(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise errors.MODULE_ASSERTION(
                message=f"importance_scores should have the same shape as parameter {name} of {module}, got"
                f" {importance_scores.shape} vs {original.shape}"
            )
        again = isinstance(method, PruningContainer)
        if not again:
            module.register_parameter(f"{name}_orig", original)
            del module._parameters[name]
        try:
            with unrecorded(), grad_mode(False):
                before = getattr(module, f"{name}_mask").detach().clone() if again else ones(original)
                mask = method.compute_mask(importance_scores.detach(), default_mask=before)
            module.register_buffer(f"{name}_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not again:
                module.register_parameter(name, getattr(module, f"{name}_orig"))
                del module._parameters[f"{name}_orig"]
            raise
        return method

    def prune(self, t: Any, default_mask: Any = None, importance_scores: Any = None) -> Any:
        """A tensor times the mask that is chosen for it."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise errors.MODULE_ASSERTION(
                message=f"importance_scores should have the same shape as tensor t, got {scores.shape} vs {t.shape}"
            )
        return t * self.compute_mask(scores, default_mask=ones(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Make the pruned tensor the parameter, for good."""
        name = self._tensor_name
        if name is None:
            raise errors.MODULE_ASSERTION(message=f"Module {module} has to be pruned before pruning can be removed")
        check(module, name)
        weight = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(f"{name}_orig")
        need(original, "data").data = need(weight, "data").data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, original)


def as_method(made: Any) -> BasePruningMethod:
    """What a class of the program gave where it was called. Raises TypeError for anything but a method."""
    if not issubclass(type(made), BasePruningMethod):
        raise TypeError(f"a pruning method is expected, not {type_name(made)}")
    return made


def _masked(module: Any, name: str) -> Any:
    """The product of mask and original."""
    mask, original = (getattr(module, f"{name}_{which}") for which in ("mask", "orig"))
    return mask.to(dtype=original.dtype) * original


def check(module: Any, name: Any) -> None:
    """Raises for what is no module, and for names that belong to Python or to the module itself."""
    if not issubclass(type(module), Registering):
        raise AttributeError(f"'{type_name(module)}' object has no attribute '_forward_pre_hooks'")
    if is_special(exact_name(name)) or not is_public(name):
        raise errors.READ_ONLY(type=type_name(module), name=name)


def ones(tensor: Any) -> Any:
    return tensor.detach().new_ones(tuple(tensor.shape))


def _composed(module: Any, name: str, method: BasePruningMethod) -> BasePruningMethod:
    """The method, together with what has pruned the parameter before, which is no hook of its own any more."""
    hooks = module._forward_pre_hooks
    found = {key: hook for key, hook in hooks.items() if prunes(hook, name)}
    if len(found) > 1:
        raise errors.MODULE_ASSERTION(
            message=f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a"
            " PruningContainer."
        )
    method._tensor_name = name
    for key, old in found.items():
        del hooks[key]
        container = old if isinstance(old, PruningContainer) else PruningContainer(old)
        container.add_pruning_method(method)
        return container
    return method


def prunes(hook: Any, name: str) -> bool:
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


def _real(method: Any) -> BasePruningMethod:
    if not isinstance(method, BasePruningMethod):
        raise TypeError(f"<class '{type_name(method)}'> is not a BasePruningMethod subclass")
    return method


class PruningContainer(BasePruningMethod):
    """Several methods, of which each prunes what those before have left."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1:
            self._tensor_name = _real(args[0])._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a method for the same parameter. Raises TypeError, ValueError."""
        if method is not None and self._tensor_name != _real(method)._tensor_name:
            raise errors.MODULE_ARGUMENT(
                message=f"Can only add pruning methods acting on the parameter named '{self._tensor_name}' to"
                f" PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask of the last method, within what is left."""
        method = self._pruning_methods[-1]
        mask = default_mask.clone().to(dtype=t.dtype)
        part = _left(method, t, default_mask)
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(dtype=mask.dtype)
        return mask


def _left(method: Any, t: Any, mask: Any) -> Any:
    """What a method may still prune: elements, or whole slices."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * t.dim()
    if method.PRUNING_TYPE != "structured":
        raise errors.MODULE_ARGUMENT(message=f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
    if not hasattr(method, "dim"):
        raise AttributeError('Pruning methods of PRUNING_TYPE "structured" need to have the attribute `dim` defined.')
    rank, dim = t.dim(), method.dim if method.dim >= 0 else method.dim + t.dim()
    if dim < 0:
        raise errors.MODULE_INDEX(message=f"Index is out of bounds for tensor with dimensions {rank}")
    kept = mask.sum(dim=[d for d in range(rank) if d != dim]) != 0
    return _at(rank, dim, kept)


def _at(rank: int, dim: int, index: Any) -> tuple[Any, ...]:
    whole: list[Any] = [slice(None)] * rank
    whole[dim] = index
    return tuple(whole)


class Identity(BasePruningMethod):
    """Prunes nothing, but makes mask and original."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask as it is."""
        return default_mask


class _Amount(BasePruningMethod):
    """Prunes a number or a share of what there is."""

    def __init__(self, amount: Any) -> None:
        if not isinstance(amount, numbers.Real):
            raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
        whole = isinstance(amount, numbers.Integral)
        if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
            raise errors.MODULE_ARGUMENT(
                message=f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer"
            )
        self.amount: Any = amount

    def _count(self, size: int) -> int:
        whole = isinstance(self.amount, numbers.Integral)
        count = int(self.amount) if whole else round(float(self.amount) * size)
        if count > size:
            raise errors.MODULE_ARGUMENT(
                message=f"amount={count} should be smaller than the number of parameters to prune={size}"
            )
        return count


class _Unstructured(_Amount):
    PRUNING_TYPE = "unstructured"

    def _scores(self, t: Any) -> tuple[Any, bool]:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """0 for the chosen elements."""
        count = self._count(t.nelement())
        mask = default_mask.clone()
        if count:
            scores, largest = self._scores(t)
            mask.view(-1)[scores.reshape(-1).topk(count, largest=largest).indices] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Prunes elements at random."""

    def _scores(self, t: Any) -> tuple[Any, bool]:
        return random.rand_like(t), True


class L1Unstructured(_Unstructured):
    """Prunes the elements of the least magnitude."""

    def _scores(self, t: Any) -> tuple[Any, bool]:
        return t.abs(), False


class _Structured(_Amount):
    PRUNING_TYPE = "structured"
    dim: int

    def _channels(self, t: Any) -> tuple[int, int]:
        """How many slices there are, and how many are pruned."""
        if t.dim() <= 1:
            raise errors.MODULE_ARGUMENT(
                message="Structured pruning can only be applied to multidimensional tensors. Found tensor of shape"
                f" {t.shape} with {t.dim()} dims"
            )
        if self.dim >= t.dim():
            raise errors.MODULE_INDEX(message=f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        return size, self._count(size)

    def _kept(self, t: Any, size: int, count: int) -> Any:
        raise NotImplementedError

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """0 for the chosen slices."""
        size, count = self._channels(t)
        if not count:
            return default_mask
        mask = t.new_zeros(tuple(t.shape))
        mask[_at(t.dim(), self.dim, self._kept(t, size, count))] = 1
        return mask * default_mask.to(dtype=mask.dtype)


class RandomStructured(_Structured):
    """Prunes slices at random."""

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    def _kept(self, t: Any, size: int, count: int) -> Any:
        drawn: Any = random.rand(size)
        return drawn > drawn.sort().values[count - 1]


class LnStructured(_Structured):
    """Prunes the slices of the least norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.n, self.dim = n, dim

    def _kept(self, t: Any, size: int, count: int) -> Any:
        dims = [d for d in range(t.dim()) if d != self.dim % t.dim()]
        return t.norm(p=self.n, dim=dims).topk(size - count).indices


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Any) -> None:
        self.mask = mask

    def compute_mask(self, t: Any, default_mask: Any) -> Any:
        """The mask, where it has not been 0 before."""
        if default_mask.shape != self.mask.shape:
            raise errors.MODULE_ASSERTION(
                message=f"default_mask shape {default_mask.shape} must match self.mask shape {self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)


CLASSES: Final = (
    BasePruningMethod, PruningContainer, Identity, RandomUnstructured, L1Unstructured, RandomStructured, LnStructured,
    CustomFromMask,
)  # fmt: skip
