"""``torch.func.functional_call``: a module called with other parameters, and parameters of several modules stacked.

https://pytorch.org/docs/stable/generated/torch.func.functional_call.html
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gradflow.engine import errors
from gradflow.engine.namespace.nn.module_attributes import table_of
from gradflow.engine.registry import REGISTRY
from gradflow.engine.sandbox.gate import exact_name
from gradflow.engine.sandbox.rules import exact_keywords
from gradflow.engine.tensor import Tensor


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args)`` with the given tensors in place of its parameters and buffers.

    Raises ValueError for ambiguous dictionaries, RuntimeError with ``strict`` where the names are not the module's.
    """
    given = _united(parameter_and_buffer_dicts)
    held = {
        **dict(module.named_parameters(remove_duplicate=False)),
        **dict(module.named_buffers(remove_duplicate=False)),
    }
    if strict:
        _check_names(module, given, held)
    if tie_weights:
        given = _tied(given, held)
    arguments = args if isinstance(args, tuple) else () if args is None else (args,)
    with _replaced(module, {name: tensor for name, tensor in given.items() if name in held}):
        return module(*arguments, **exact_keywords(kwargs or {}))


def _united(dictionaries: Any) -> dict[str, Any]:
    """One dictionary of all."""
    if isinstance(dictionaries, dict):
        return dictionaries
    if not isinstance(dictionaries, Sequence):
        raise errors.DERIVATIVE_VALUE(
            message="Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got"
            f" {type(dictionaries)}"
        )
    if not all(isinstance(d, dict) for d in dictionaries):
        message = "Expected all elements of parameter_and_buffer_dicts to be dictionaries"
        raise errors.DERIVATIVE_VALUE(message=message)
    repeated = [key for key, n in Counter(key for d in dictionaries for key in d).items() if n > 1]
    if repeated:
        raise errors.DERIVATIVE_VALUE(
            message=f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous"
        )
    return {key: value for d in dictionaries for key, value in d.items()}


def _check_names(module: Any, given: dict[str, Any], held: dict[str, Any]) -> None:
    problems = []
    unexpected = [name for name in given if name not in held]
    missing = [name for name in held if name not in given]
    if unexpected:
        problems.append(f"Unexpected key(s): {', '.join(map(repr, sorted(unexpected)))}.")
    if missing:
        problems.append(f"Missing key(s): {', '.join(map(repr, sorted(missing)))}.")
    if problems:
        lines = chr(10) + chr(9) + (chr(10) + chr(9)).join(problems)
        message = f"Error(s) in reparametrizing for {module._get_name()}:{lines}"
        raise errors.DERIVATIVE_CALL(message=message)


def _tied(given: dict[str, Any], held: dict[str, Any]) -> dict[str, Any]:
    """Names of one tensor get one value."""
    result = dict(given)
    for name, tensor in held.items():
        family = [other for other, each in held.items() if each is tensor]
        values = {id(given[other]): given[other] for other in family if other in given}
        if len(values) > 1:
            raise errors.DERIVATIVE_VALUE(
                message=f"functional_call got multiple values for keys {sorted(family)}, which are tied. Consider using"
                " tie_weights=False"
            )
        if values:
            result[name] = next(iter(values.values()))
    return result


@contextmanager
def _replaced(module: Any, given: dict[str, Any]) -> Iterator[None]:
    places = []
    for path, tensor in given.items():
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"{tensor} is not an instance of torch.Tensor")
        places.append((*_place(module, path), tensor))
    before = [(table, name, table[name]) for table, name, _ in places]
    try:
        for table, name, tensor in places:
            table[name] = tensor
        yield
    finally:
        for table, name, kept in reversed(before):
            table[name] = kept


def _place(module: Any, path: str) -> tuple[dict[str, Any], str]:
    """The table in which a tensor stands, and its name there: by the tables of the modules, and by no method of the program's."""
    *parents, name = exact_name(path).split(".")
    for parent in parents:
        module = table_of(module, "_modules").get(parent)
    parameters = table_of(module, "_parameters")
    return parameters if name in parameters else table_of(module, "_buffers"), name


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of modules of one kind, stacked. Raises RuntimeError for different kinds."""
    models = list(models)
    if not models:
        raise errors.DERIVATIVE_CALL(message="stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        message = "stack_module_state: Expected all models to have the same training/eval mode."
        raise errors.DERIVATIVE_CALL(message=message)
    if len({type(m) for m in models}) > 1:
        message = "stack_module_state: Expected all models to be of the same class."
        raise errors.DERIVATIVE_CALL(message=message)
    parameters = [dict(m.named_parameters()) for m in models]
    buffers = [dict(m.named_buffers()) for m in models]
    return _stacked(parameters), _stacked(buffers)


def _stacked(each: list[dict[str, Any]]) -> dict[str, Tensor]:
    result = {}
    for name, first in each[0].items():
        stacked = REGISTRY["stack"].call([one[name] for one in each], 0)
        result[name] = stacked.detach().requires_grad_(first.requires_grad)
    return result
