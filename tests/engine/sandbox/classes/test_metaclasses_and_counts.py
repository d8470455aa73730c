"""What a metaclass answers with is no class of the program's; what NumPy counts by is a copy, and a number."""

from __future__ import annotations

import pytest

from gradflow.engine import preload  # noqa: F401  # all that is allowed is entered by then
from gradflow.engine.run import run

METACLASS = """
import torch, torch.nn as nn
instead = []
class Meta(type):
    def __new__(kind, name, bases, content, **named):
        return instead[0] if instead else super().__new__(kind, name, bases, content, **named)
    def __call__(cls, *given, **named):
        return instead[0] if instead else super().__call__(*given, **named)
"""


def told(source: str) -> str:
    """What a program printed, and the error that ended it."""
    trace = run(source)
    error = "" if trace.error is None else f"{trace.error.type}: {trace.error.message}"
    return trace.stdout + error


@pytest.mark.parametrize("found", ["torch.dtype", "nn.Module", "type('Own', (torch.Tensor,), {}).__bases__[0]"])
@pytest.mark.parametrize("named", ["slots=True", "slots=True, weakref_slot=True"])
def test_a_dataclass_with_slots_asks_no_metaclass(named: str, found: str) -> None:
    source = (
        f"{METACLASS}import dataclasses\nclass Point(metaclass=Meta):\n    x: int = 0\n"
        f"instead.append({found})\nprint(dataclasses.dataclass({named})(Point) is instead[0])"
    )
    assert "a dataclass with slots and a metaclass" in told(source)


def test_dataclasses_with_slots_stay() -> None:
    source = (
        "import abc, dataclasses\n@dataclasses.dataclass(slots=True)\nclass Point(abc.ABC):\n    x: int = 3\n"
        "print(Point(), hasattr(Point(), '__dict__'))"
    )
    assert told(source) == "Point(x=3) False\n"


def test_a_parametrized_module_gets_a_class_of_its_own() -> None:
    source = (
        f"{METACLASS}from torch.nn.utils import parametrize\n"
        "class Net(nn.Module, metaclass=Meta):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = nn.Parameter(torch.ones(2))\n"
        "class Twice(nn.Module):\n    def forward(self, w): return 2 * w\n"
        "net = Net()\ninstead.append(nn.Linear)\nparametrize.register_parametrization(net, 'w', Twice())\ninstead.clear()\n"
        "print(type(net).__name__, isinstance(net, Net), net.w.tolist(), hasattr(nn.Linear(1, 1), 'w'), nn.Linear.__module__)"
    )
    assert told(source) == "ParametrizedNet True [2.0, 2.0] False torch.nn.modules.linear\n"


def test_a_copy_of_a_parameter_is_one() -> None:
    source = (
        f"{METACLASS}import copy\nclass Own(nn.Parameter, metaclass=Meta): pass\n"
        "layer = nn.Linear(1, 1, bias=False)\nlayer.weight = Own(torch.ones(1, 1))\ninstead.append('forged')\n"
        "print([type(p).__name__ for p in copy.deepcopy(layer).parameters()])"
    )
    assert told(source) == "['Own']\n"


@pytest.mark.parametrize("name", ["_a", "_parameters", "_forward_hooks", "bias"])
def test_a_pruning_method_writes_what_is_pruned_alone(name: str) -> None:
    source = (
        "import torch, torch.nn as nn\nimport torch.nn.utils.prune as prune\n"
        "class Own(prune.BasePruningMethod):\n    PRUNING_TYPE = 'unstructured'\n    def apply_mask(self, module): return {}\n"
        f"own, layer = Own(), nn.Linear(2, 2)\nown._tensor_name = {name!r}\nown(layer, ())"
    )
    found = told(source)
    assert found.startswith("AssertionError: Module Linear(in_features=2") or found.endswith("is read-only")


def test_a_parameter_of_such_a_name_opens_nothing() -> None:
    source = (
        "import torch, torch.nn as nn\nimport torch.nn.utils.prune as prune\n"
        "class Own(prune.BasePruningMethod):\n    PRUNING_TYPE = 'unstructured'\n    def apply_mask(self, module): return {}\n"
        "own, layer = Own(), nn.Linear(2, 2)\nown._tensor_name = '_forward_hooks'\n"
        "layer.register_parameter('_forward_hooks_orig', nn.Parameter(torch.ones(1)))\nown(layer, ())"
    )
    assert told(source).startswith("AttributeError: 'Linear' object attribute '_forward_hooks' is read-only")


COUNTS = """
import numpy as np
counts = np.ones(4, dtype=np.intp)
class Place:
    def __init__(self, place, put): self.place, self.put = place, put
    def __index__(self):
        counts[:] = self.put
        return self.place
"""


@pytest.mark.parametrize(
    "call",
    [
        "np.repeat(np.arange(4.), counts, axis=Place(0, 2**62))",
        "np.arange(4.).repeat(counts, axis=Place(0, 2**62))",
        "np.bincount(counts, minlength=Place(0, 2**62))",
        "np.tile(np.ones((4, 1)), (1, 2**62))",
        "np.tile(np.ones((4, 1)), [1, Place(2**62, 1)])",
    ],
)
def test_counts_are_looked_at_after_the_program_was_asked(call: str) -> None:
    assert told(f"{COUNTS}{call}").startswith("MemoryError: Unable to allocate")


@pytest.mark.parametrize("size", ["(Place(3, 10**6),)", "[Place(3, 10**6)]", "(place for place in [Place(3, 10**6)])"])
@pytest.mark.parametrize("given", ["counts", "torch.from_numpy(counts)", "list(counts)"])
def test_numbers_are_drawn_by_the_counts_of_the_call(given: str, size: str) -> None:
    call = f"np.random.default_rng(0).multivariate_hypergeometric({given}, 2, size={size}, method='count')"
    assert told(f"import torch\n{COUNTS}print({call}.sum(1))") == "[2 2 2]\n"


def test_counts_are_those_of_the_call() -> None:
    assert (
        told(f"{COUNTS}print(np.repeat([1, 2], Place(2, 0)), np.bincount([1, 1], [.5, 2.]))") == "[1 1 2 2] [0.  2.5]\n"
    )


@pytest.mark.parametrize("key", ["'r', [None] * 3", "'c', [1, 2]", "'_NUMBERS'", "'__name__'", "Text('0'), [1]"])
def test_an_index_that_names_something_is_refused(key: str) -> None:
    source = f"import numpy as np\nclass Text(str):\n    def split(self, by): return ['0', '1']\nprint(np.r_[{key}])"
    assert "an index that is a text" in told(source) or told(source) == "[1]\n"


def test_rows_and_columns_are_joined_as_numpy_joins_them() -> None:
    source = "import numpy as np\nprint(np.r_[1:4, 9].tolist(), np.r_['0,2', [1, 2], [3, 4]].tolist(), np.c_[[1, 2], [3, 4]].tolist())"
    assert told(source) == "[1, 2, 3, 9] [[1, 2], [3, 4]] [[1, 3], [2, 4]]\n"


def test_a_table_of_the_library_is_not_handed_out() -> None:
    source = (
        "import re\nclass Text(str):\n    def translate(self, table): table.clear(); return 'z'\n"
        "print(re.escape(Text('a.b')), re.escape('a.b'), re.escape(b'a.b'))"
    )
    assert told(source) == "a\\.b a\\.b b'a\\\\.b'\n"


ADDED = """
import torch, torch.nn as nn
def count(self): return sum(p.numel() for p in self.parameters())
"""


@pytest.mark.parametrize(
    ("source", "printed"),
    [
        ("nn.Module.count = count\nprint(nn.Linear(2, 3).count(), hasattr(nn.Conv2d, 'count'))", "9 True"),
        ("nn.Module.size_of = property(count)\nprint(nn.Linear(2, 3).size_of)", "9"),
        ("torch.Tensor.plus = lambda self, k=1: self + k\nprint(torch.zeros(2).plus(k=2).tolist())", "[2.0, 2.0]"),
        ("nn.ReLU.made = classmethod(lambda cls: cls())\nprint(nn.ReLU.made())", "ReLU()"),
        ("class Own(nn.Linear): pass\nnn.Linear.tag = 'linear'\nprint(Own(1, 1).tag, Own.tag)", "linear linear"),
        (
            "N = torch.distributions.Normal\nold = N.log_prob\nN.log_probs = lambda self, x: old(self, x).sum(-1)\n"
            "print(N(0., 1.).log_probs(torch.zeros(2)))",
            "tensor(-1.8379)",
        ),
    ],
)
def test_a_name_that_a_program_adds_to_a_class_is_read_by_it(source: str, printed: str) -> None:
    assert told(f"{ADDED}{source}") == f"{printed}\n"


def test_an_added_name_is_gone_with_its_run() -> None:
    assert told(f"{ADDED}nn.Module.count = count") == ""
    assert "has no attribute 'count'" in told("import torch.nn as nn\nprint(nn.Linear(1, 1).count())")


@pytest.mark.parametrize("name", ["shape", "__add__", "__array_interface__", "backward"])
def test_what_a_class_has_stays_as_it_is(name: str) -> None:
    source = (
        f"import torch\ntry:\n    torch.Tensor.{name} = 1\nexcept Exception as error:\n    print(type(error).__name__)"
    )
    assert told(source) in ("AttributeError\n", "TypeError\n", "RuntimeError\n")


def test_the_engine_reads_no_added_name() -> None:
    source = "import torch\ntorch.Tensor._settled = torch.Tensor.materialize = lambda *_: 1 / 0\nprint((torch.ones(1) + 1).tolist())"
    assert told(source) == "[2.0]\n"


@pytest.mark.parametrize(
    "call",
    [
        "torch.ones(4, 1).repeat(1, 2**62)",
        "torch.tile(torch.ones(4, 1), (1, 2**62))",
        "torch.cat([torch.ones(1, dtype=torch.int8).expand(2**61)] * 8 + [torch.ones(3, dtype=torch.int8)])",
        "torch.cat([torch.as_strided(torch.ones(1), (2**60,), (0,))] * 16 + [torch.ones(3)])",
        "torch.cat([torch.empty(2**61, dtype=torch.int8, device='meta')] * 8)",
        "np.hstack([np.broadcast_to(np.ones(1, np.int8), (2**62,))] * 4 + [np.ones(3, np.int8)])",
    ],
)
def test_a_view_shows_no_more_than_numpy_can_add_up(call: str) -> None:
    found = told(f"import numpy as np, torch\n{call}")
    assert "allocate" in found or "Storage size calculation overflowed" in found


def test_sizes_of_nothing_stay() -> None:
    source = "import torch\nprint(torch.cat([torch.zeros(0, 2**40)] * 4, 1).shape, torch.ones(1).expand(2**30).shape)"
    assert told(source) == "torch.Size([0, 4398046511104]) torch.Size([1073741824])\n"
