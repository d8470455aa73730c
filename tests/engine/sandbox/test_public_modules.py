"""What stands in for PyTorch's modules, files, storages and compilers gives data and no way out, and leaves nothing behind."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

LIAR = """
class Liar(int):
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __neg__(self): return self
"""
PREAMBLE = "import torch, io\nfrom torch import nn\nimport torch.nn.utils.prune as prune\n"


def refusal(source: str) -> str:
    trace = run(PREAMBLE + source)
    assert trace.error is not None, trace.stdout
    return f"{trace.error.type}: {trace.error.message}"


@pytest.mark.parametrize(
    "name",
    ["_Module__members", "_Module__further", "_put", "_own", "_extend", "_find", "has", "names", "starred", "table"],
)
@pytest.mark.parametrize("module", ["torch", "torch.nn.modules.linear", "torch.backends.cudnn"])
def test_a_module_shows_none_of_its_own_works(module: str, name: str) -> None:
    assert refusal(f"{module}.{name}").startswith("AttributeError: ")


@pytest.mark.parametrize("module", ["torch", "torch.nn.modules.linear", "torch.backends.cudnn"])
def test_the_names_of_a_module_are_a_copy_of_what_it_shows(module: str) -> None:
    trace = run(
        f"{PREAMBLE}held = vars({module})\nprint(len(held) > 1)\n"
        f"held['mine'] = 1\n{module}.__dict__['mine'] = 1\nprint(hasattr({module}, 'mine'), '__builtins__' in held)"
    )
    assert trace.error is None
    assert trace.stdout == "True\nFalse False\n"


@pytest.mark.parametrize(
    "change",
    [
        "nn.Linear = 3",
        "del nn.Linear",
        "torch._Module__members = {}",
        "setattr(torch.nn.functional, 'relu', print)",
        "torch.backends.cudnn.benchmark = 7",
        "import torch.nn.attention.bias\ntorch.nn.attention.bias.causal_upper_left = None",
        "torch.add = None",
    ],
)
def test_what_a_program_sets_in_a_module_ends_with_its_run(change: str) -> None:
    whole = (
        PREAMBLE
        + "print(nn.Linear, torch.nn.functional.relu, torch.backends.cudnn.benchmark, torch.add, nn.Linear(1, 1))"
    )
    before = run(whole).stdout
    run(PREAMBLE + change)
    assert run(whole).stdout == before
    assert "Linear(in_features=1" in before


def test_what_is_set_is_found_under_every_name_of_the_module() -> None:
    source = (
        "nn.Mine = 3\nfrom torch.nn import Mine\nimport torch.nn as other\nprint(Mine, other.Mine, 'Mine' in dir(nn))"
    )
    assert run(PREAMBLE + source).stdout == "3 3 True\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import math\nmath.pi = 3", "AttributeError: 'module' object attribute 'pi' is read-only"),
        ("torch.__name__ = 'x'", "AttributeError: 'module' object attribute '__name__' is read-only"),
        ("del torch.relu", "AttributeError: 'module' object attribute 'relu' is read-only"),
    ],
)
def test_other_modules_stay_as_they_are(source: str, words: str) -> None:
    assert refusal(source) == words


@pytest.mark.parametrize(
    "value",
    [
        "torch",
        "torch.ones(1, requires_grad=True).exp().grad_fn",
        "(i for i in [])",
        "torch.autograd.set_grad_enabled(True)",
        "torch.ones(1).sum",
        "[1].__iter__()",
        "[{'a': zip([1])}]",
    ],
)
def test_only_data_can_be_saved(value: str) -> None:
    assert refusal(f"torch.save({value}, io.BytesIO())").startswith("TypeError: cannot pickle '")


def test_saving_calls_nothing_of_the_program() -> None:
    source = """
class Spy:
    def __init__(self): print('made')
    def __getattr__(self, name): print('read', name)
    def __setattr__(self, name, value): print('set', name)
    def __eq__(self, other): print('compared')
    def __repr__(self): print('shown')
b = io.BytesIO()
torch.save(Spy(), b)
b.seek(0)
print(type(torch.load(b, weights_only=False)).__name__)
"""
    trace = run(PREAMBLE + source)
    assert (trace.stdout, trace.error) == ("made\nSpy\n", None)


@pytest.mark.parametrize("loaded", ["'x.pt'", "io.BytesIO(b'gradflow\\0\\0\\0\\0\\0')"])
def test_nothing_saved_is_there_for_the_next_program(loaded: str) -> None:
    assert run(PREAMBLE + "torch.save([1], 'x.pt')\nprint(torch.load('x.pt'))").stdout == "[1]\n"
    assert refusal(f"torch.load({loaded})").startswith(("FileNotFoundError: ", "_pickle.UnpicklingError: "))


@pytest.mark.parametrize(
    "data", ["b'gradflow'", "b'\\x80\\x02c__builtin__\\neval\\n'", "b'gradflow\\0\\xff\\xff\\xff\\xff'"]
)
def test_bytes_are_never_taken_apart(data: str) -> None:
    assert refusal(f"torch.save(1, io.BytesIO())\ntorch.load(io.BytesIO({data}), weights_only=False)").startswith(
        "_pickle.UnpicklingError: invalid load key"
    )


def test_what_is_loaded_is_a_copy() -> None:
    source = "a = torch.ones(2)\ntorch.save([a, a[:1]], 'x')\na[0] = 5\nb = torch.load('x')\nb[0][0] = 7\nprint(b, torch.load('x'))"
    expected = "[tensor([7., 1.]), tensor([7.])] [tensor([1., 1.]), tensor([1.])]\n"
    assert run(PREAMBLE + source).stdout == expected


@pytest.mark.parametrize("storage", ["torch.zeros(3).storage()", "torch.zeros(3).untyped_storage()"])
@pytest.mark.parametrize("index", ["Liar(10 ** 6)", "Liar(-10 ** 6)", "2 ** 80", "-99", "1.0", "None"])
def test_no_storage_reaches_beyond_its_memory(storage: str, index: str) -> None:
    for access in (f"{storage}[{index}]", f"{storage}[{index}] = 1"):
        assert refusal(LIAR + access).startswith(("IndexError: ", "TypeError: ", "OverflowError: "))


def test_a_storage_of_a_part_is_that_of_the_whole() -> None:
    source = "a = torch.arange(4.)\ns = a[2:].storage()\ns[0] = 9\nprint(a, len(s), len(a.expand(2, 4).storage()))"
    assert run(PREAMBLE + source).stdout == "tensor([9., 1., 2., 3.]) 4 4\n"


@pytest.mark.parametrize(
    "attack",
    [
        "prune.identity(nn.Linear(1, 1), '__class__')",
        "prune.global_unstructured([(print, '__self__')], prune.L1Unstructured, amount=1)",
        "prune.global_unstructured([((i for i in []), 'gi_frame')], prune.L1Unstructured, amount=1)",
        "def f(): pass\nm = prune.Identity()\nm._tensor_name = '__code__'\nf.__code___mask = f.__code___orig = 1\nm(f, ())",
        "m = prune.Identity()\nm._tensor_name = '__class__'\nm.remove(nn.Linear(1, 1))",
        "prune.identity(nn.Linear(1, 1), '_modules')",
        "from torch.nn.modules.transformer import _get_clones\n_get_clones(torch.ones(1).exp, 2)",
        "from functorch import make_functional\nmake_functional((i for i in []))",
        "from torch.optim.optimizer import _use_grad_for_differentiable\n_use_grad_for_differentiable(torch.add)",
        "nn.Linear(1, 1).__dict__['__array_interface__'] = 1",
        "nn.Linear(1, 1).__dict__['_parameters'] = 1",
        "torch.compile(nn.Linear(1, 1))._compiled",
        "torch.compile(3)",
        "import einops\neinops.rearrange(torch, 'a -> a')",
    ],
)
def test_no_way_through_the_helpers(attack: str) -> None:
    assert refusal(attack).split(":")[0] in ("AttributeError", "TypeError", "RuntimeError")


def test_a_pattern_that_lies_is_taken_at_its_word() -> None:
    source = """
from einops import rearrange
class Same(str):
    def __eq__(self, other): return True
    def __hash__(self): return 0
x = torch.arange(6).reshape(2, 3)
print(rearrange(x, Same('a b -> (a b)')).shape, rearrange(x, Same('a b -> b a')).shape)
"""
    expected = "torch.Size([6]) torch.Size([3, 2])\n"
    assert run(PREAMBLE + source).stdout == expected
    assert run(PREAMBLE + source).stdout == expected


def test_einops_is_a_place_with_its_pattern() -> None:
    trace = run(
        "import torch\nfrom einops import rearrange\nx = torch.ones(2, 3, requires_grad=True)\nrearrange(x, 'a b -> (b a)')"
    )
    assert [place.title for place in trace.places] == ["rearrange 'a b -> (b a)'"]
    assert {node.place for node in trace.nodes if node.kind == "function"} == {trace.places[0].id}


def test_a_class_takes_no_part_in_copying_its_attributes() -> None:
    source = """
import copy
class Thief(nn.Module):
    def __getstate__(self): return {'__array_interface__': 1}
    def __setstate__(self, state): print('called', state)
made = copy.deepcopy(Thief()), copy.copy(Thief())
print([hasattr(each, '__array_interface__') for each in made], 'training' in made[0].__dict__)
"""
    trace = run(PREAMBLE + source)
    assert (trace.stdout, trace.error) == ("[False, False] True\n", None)
