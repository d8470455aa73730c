"""Private helpers of classes that programs derive from are functions: no object of the program's is asked for them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cached_property
from typing import Final

from gradflow.engine.run import run
from gradflow.engine.sandbox import gate
from gradflow.engine.sandbox.rules import RULES

ALL: Final = """
import argparse, collections, contextlib, einops.layers.torch, json, logging, queue, random, threading, unittest
import torch, torch.distributions, torch.func, torch.fx, torch.nn.utils.parametrize, torch.nn.utils.prune
import torch.optim.swa_utils, torch.utils.data
"""
CALLED_BY_PYTORCH: Final = frozenset({"_apply", "_ff_block", "_get_name", "_hash", "_mha_block", "_sa_block"})
"""What PyTorch asks of the classes derived from its own, too."""
STILL_METHODS: Final = {
    "Adadelta": {"_change"},
    "Adafactor": {"_change"},
    "Adagrad": {"_change"},
    "Adam": {"_change"},
    "Adamax": {"_change"},
    "ASGD": {"_change"},
    "BasePruningMethod": {"_name"},
    "L1Unstructured": {"_scores"},
    "LazyModuleMixin": {"_wait"},
    "LBFGS": {"_take"},
    "LnStructured": {"_kept"},
    "Module": {"_fix_kind_of_hooks", "_floats_to", "_named_tensors"},
    "Muon": {"_change"},
    "NAdam": {"_change"},
    "Optimizer": {"_change", "_check_layout", "_keeps_state", "_take"},
    "ParametrizationList": {"_check", "_inverse", "_keep"},
    "RAdam": {"_change"},
    "RandomStructured": {"_kept"},
    "RandomUnstructured": {"_scores"},
    "Registering": {
        "_check_begun", "_check_registered_name", "_member_at", "_release_name", "_set_registered",
    },
    "RMSprop": {"_change"},
    "Rprop": {"_change"},
    "SGD": {"_change", "_check_layout", "_keeps_state"},
    "SparseAdam": {"_change"},
    "Tensor": {"_number", "_set_grad"},
    "TestCase": {"_getAssertEqualityFunc", "_warned"},
    "_Amount": {"_count"},
    "_ConvNd": {"_settle"},
    "_NormBase": {"_settle"},
    "_Orthogonal": {"_householder", "_skew"},
    "_Structured": {"_channels", "_kept"},
    "_Unstructured": {"_scores"},
}  # fmt: skip
"""These are kept from programs; see `gradflow.engine.sandbox.classes.kept_names`. There are to be fewer, not more."""


def _of_the_engine(held: object) -> bool:
    inner = getattr(held, "fget", None) or getattr(held, "func", None) or getattr(held, "__func__", held)
    code = getattr(inspect.unwrap(inner), "__code__", None)  # type: ignore[arg-type]  # whatever stands in a class
    return code is not None and "/engine/" in code.co_filename


def _private_methods() -> Iterator[tuple[str, str]]:
    opened = [cls for cls, rules in RULES.items() if rules.subclass]
    for base in {base for cls in opened for base in cls.__mro__ if base is not object}:
        for name, held in vars(base).items():
            private = name.startswith("_") and not name.endswith("_") and name not in CALLED_BY_PYTORCH
            method = callable(held) or isinstance(held, property | cached_property | classmethod | staticmethod)
            if private and method and _of_the_engine(held) and not gate.class_readable(base, name):
                yield base.__name__, name


def test_no_class_has_more_private_methods_than_were_looked_at() -> None:
    assert run(ALL).error is None
    assert [(base, name) for base, name in _private_methods() if name not in STILL_METHODS.get(base, ())] == []
