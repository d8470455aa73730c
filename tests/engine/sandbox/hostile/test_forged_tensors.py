"""Objects with the names by which the engine keeps what is in a tensor: nothing of the engine takes one for a tensor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from gradflow.engine.namespace.tensor.inner_names import INNER
from gradflow.engine.namespace.torch import modules
from gradflow.engine.run import run
from gradflow.engine.sandbox.stand_ins import Module

FORGED: Final = """
import numpy as np
import torch
from torch import nn
class Fake: pass
def fake():
    made = Fake()
    made._a = np.ones((2, 2), dtype='float32')
    made._st = made._view = made._node = made._entry = made._values = made._held = None
    made._turn = lambda: iter([])
    return made
def calls(x):
    a, b, p = fake(), Fake(), lambda *given: fake()
    return [(a,), (b,), (a, x), (x, a), (x, b), (x, x, a), (a, 1), (a, 1, 1), ([a],), ([x, a],), (x, [a]), (x, 0, a), (x, 0, x, a), (p, x), (7, x), (x, 7)]
def tried(name, function, x, function_of_tensors=False):
    for given in calls(x):
        try:
            made = function(*given)
        except Exception as error:
            if 'has no attribute' in str(error): print(name, error)
        else:
            if isinstance(made, torch.Tensor) and type(given[0]) is Fake and function_of_tensors: print(name, 'takes it')
"""
_NAMED: Final = re.compile(r"has no attribute '(_\w+)'")
KEEPS: Final = ("torch.jit.annotate takes it",)
"""What gives its second argument back, whatever the first one is."""


def functions(module: Module, path: str, seen: set[int]) -> Iterator[str]:
    """The paths of what can be called in a module and in those below it, each thing once."""
    seen.add(id(module))
    for name in sorted(set(module.names())):
        member = module.find(name)
        if id(member) in seen:
            continue
        if isinstance(member, Module):
            yield from functions(member, f"{path}.{name}", seen)
        elif callable(member):
            seen.add(id(member))
            yield f"{path}.{name}"


def told(program: str) -> list[str]:
    trace = run(FORGED + program, operations=10_000_000)
    assert trace.error is None, trace.error.message
    return [line for line in trace.stdout.splitlines() if _is_inner(line) or line.endswith("takes it")]


def _is_inner(line: str) -> bool:
    """Whether an error names what the engine keeps in a tensor or a loader."""
    named = _NAMED.search(line)
    assert "_a" in INNER
    return named is not None and named[1] in INNER | {"_turn"}


def test_no_function_of_a_module_looks_into_what_is_no_tensor() -> None:
    paths = [path for path in functions(modules()["torch"], "torch", set()) if "hub" not in path]
    assert len(paths) > 1500
    program = f"""
import functools
for path in {paths!r}:
    try:
        function = functools.reduce(getattr, path.split('.')[1:], torch)
    except AttributeError:  # a function is in the place of a module of its name
        continue
    tried(path, function, torch.ones(2, 2), True)
"""
    assert [line for line in told(program) if line not in KEEPS] == []


@pytest.mark.parametrize("made", ["torch.ones(2, 2)", "nn.Parameter(torch.ones(2, 2))"])
def test_no_method_of_a_tensor_does(made: str) -> None:
    program = f"""
for name in dir(torch.Tensor):
    x = {made}
    try:
        found = getattr(x, name)
    except Exception:
        continue
    if callable(found): tried(name, lambda *given: getattr({made}, name)(*given), torch.ones(2, 2))
"""
    assert told(program) == []


LAYERS: Final = """
Linear(2, 2) Conv1d(2, 2, 1) ConvTranspose1d(2, 2, 1) BatchNorm1d(2) InstanceNorm1d(2) SyncBatchNorm(2) LayerNorm(2) RMSNorm(2)
GroupNorm(1, 2) Embedding(2, 2) EmbeddingBag(2, 2) LSTM(2, 2) GRU(2, 2) LSTMCell(2, 2) MultiheadAttention(2, 1) Transformer(2, 1)
TransformerEncoderLayer(2, 1) TransformerDecoderLayer(2, 1) Bilinear(2, 2, 2) PReLU() Softmax() Flatten() MaxPool1d(1)
AdaptiveLogSoftmaxWithLoss(2, 4, [2]) CrossMapLRN2d(2) LocalResponseNorm(2) LazyLinear(2) LazyConv1d(2, 1) MSELoss()
CrossEntropyLoss() CosineEmbeddingLoss() GaussianNLLLoss() TripletMarginLoss() Upsample() Fold((2, 2), 1)
"""


@pytest.mark.parametrize("layer", re.findall(r"\w+\((?:[^()]|\([^()]*\))*\)", LAYERS))
def test_no_layer_does(layer: str) -> None:
    assert told(f"tried('{layer.split('(')[0]}', nn.{layer}, torch.ones(2, 2))") == []


WORDS: Final = {
    "nn.init.xavier_uniform_({})": "'{}' object has no attribute 'dim'",
    "nn.init.kaiming_normal_({})": "'{}' object has no attribute 'shape'",
    "nn.init.orthogonal_({})": "'{}' object has no attribute 'ndimension'",
    "nn.init.trunc_normal_({})": "'{}' object has no attribute 'is_meta'",
    "nn.utils.parameters_to_vector([{}])": "'{}' object has no attribute 'device'",
    "nn.utils.rnn.pad_sequence([{}])": "expected Tensor as element 0 in argument 0, but got {}",
    "nn.utils.rnn.invert_permutation({})": "empty_like(): argument 'input' (position 1) must be Tensor, not {}",
    "nn.Buffer({})": "'{}' object has no attribute 'detach'",
    "nn.BatchNorm1d(2)({})": "'{}' object has no attribute 'dim'",
    "torch.tensordot({}, torch.ones(2))": "'{}' object has no attribute 'dim'",
    "torch.lu({})": "_lu_with_info(): argument 'input' (position 1) must be Tensor, not {}",
    "torch.pca_lowrank({})": "'{}' object has no attribute 'shape'",
    "torch.split({}, 1)": "'{}' object has no attribute 'split'",
    "torch.chain_matmul({})": "expected Tensor as element 0 in argument 0, but got {}",
    "torch.autograd.graph.increment_version([{}])": "increment_version expects each element of the iterable to be a tensor",
    "torch.distributions.utils.probs_to_logits({})": "'{}' object has no attribute 'dtype'",
    "torch.detach({})": "detach(): argument 'input' (position 1) must be Tensor, not {}",
}


@pytest.mark.parametrize("call", WORDS)
@pytest.mark.parametrize("given", ["fake()", "Fake()", "nn.Linear(1, 1)"])
def test_the_words_are_those_of_pytorch(call: str, given: str) -> None:
    error = run(f"{FORGED}\n{call.format(given)}").error
    assert error is not None
    kind = "Linear" if given.startswith("nn") else "Fake"
    assert error.message == WORDS[call].format(kind)


KEPT: Final = """
class Written:
    version = 0
    def before_write(self): print('written')
class Fake:
    _a, _st, _view, _entry = np.ones(1, dtype='float32'), Written(), None, None
class S(torch.amp.GradScaler): pass
s = S('cpu')
s._factor = Fake()
state = {'scale': 1.0, 'growth_factor': 2.0, 'backoff_factor': 0.5, 'growth_interval': 1, '_growth_tracker': 0}
class Averaged(torch.optim.swa_utils.AveragedModel):
    n_averaged = Fake()
    def register_buffer(self, *given, **named): pass
class Trials(torch.distributions.Binomial): pass
trials = Trials(3, torch.tensor([0.5]))
trials.total_count = Fake()
for call in (
    s.get_scale, lambda: s.update(3.0), lambda: s.load_state_dict(state), lambda: s.scale(torch.ones(1)),
    lambda: Averaged(nn.Linear(1, 1)).update_parameters(nn.Linear(1, 1)), trials.entropy,
):
    try:
        print(call())
    except TypeError:
        continue
"""


def test_what_a_class_of_the_program_keeps_in_the_place_of_a_tensor_is_not_written_into() -> None:
    trace = run(FORGED + KEPT)
    assert (trace.error, trace.stdout) == (None, "")
