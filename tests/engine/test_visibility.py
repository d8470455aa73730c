"""What of a run belongs to a picture of it."""

from __future__ import annotations

import pytest

from gradflow.engine.run import run


def names(source: str) -> tuple[list[str], list[str]]:
    """The tensors, by name or expression, and the functions that a program's picture shows."""
    trace = run("import torch\n" + source)
    tensors = [t.names[0] if t.names else t.expression for t in trace.tensors if t.id in trace.shown]
    return tensors, [n.op for n in trace.nodes if n.id in trace.shown]


def test_what_leads_to_the_output_is_shown() -> None:
    source = "x = torch.ones(1, requires_grad=True)\nlog = x.detach() * 3\ny = x * 2\ny.backward()"
    assert names(source) == (["x", "y"], ["mul"])


def test_a_branch_that_could_be_differentiated_is_shown_too() -> None:
    source = "x = torch.ones(1, requires_grad=True)\ny = x * 2\nz = x + 1\ny.backward()"
    assert names(source) == (["x", "y", "z"], ["mul", "add"])


def test_a_program_that_differentiates_nothing_is_shown_whole() -> None:
    assert names("x = torch.ones(1)\ny = x * 2") == (["x", "y"], ["mul"])


def test_a_model_that_is_only_copied_is_not_shown() -> None:
    source = (
        "import copy\nlayer = torch.nn.Linear(1, 1)\nnet = copy.deepcopy(layer)\nalone = torch.ones(1, requires_grad=True)\n"
        "y = net(torch.ones(1, 1))\ny.backward()"
    )
    shown, _ = names(source)
    assert [each for each in shown if each.startswith(("layer.", "net.", "alone"))] == [
        "net.weight",
        "net.bias",
        "alone",
    ]


def test_a_parameter_that_its_model_forgets_is_shown() -> None:
    source = (
        "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.used = torch.nn.Linear(1, 1)\n"
        "        self.forgotten = torch.nn.Parameter(torch.ones(1))\n    def forward(self, x):\n        return self.used(x)\n"
        "net = Net()\nnet(torch.ones(1, 1)).backward()"
    )
    assert "net.forgotten" in names(source)[0]


def test_a_leaf_that_something_has_replaced_is_not_shown() -> None:
    source = (
        "head = torch.nn.Linear(2, 3, bias=False)\ntable = torch.nn.Embedding(3, 2)\ntable.weight = head.weight\n"
        "head(table(torch.tensor([1]))).sum().backward()"
    )
    shown, _ = names(source)
    assert [each for each in shown if "weight" in each or "Embedding(" in each] == ["head.weight"]


def test_the_memory_of_parameters_is_not_shown_where_nothing_is_differentiated() -> None:
    source = (
        "class Net(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.fc = torch.nn.Linear(2, 3)\n"
        "        self.scale = torch.nn.Parameter(torch.empty(3))\n    def forward(self, x):\n        return self.fc(x) * self.scale\n"
        "net = Net()\nx = torch.ones(1, 4)\nloss = net(x)"
    )
    assert names(source) == (["net.fc.weight", "net.fc.bias", "net.scale", "x"], [])


def test_what_a_call_made_on_the_way_to_its_error_is_not_shown_where_nothing_reads_it() -> None:
    source = (
        "net = torch.nn.Sequential(torch.nn.Tanh(), torch.nn.Linear(2, 3))\n"
        "x = torch.ones(1, 4, requires_grad=True)\nz = x.t()\ny = net(x)"
    )
    assert names(source) == (["net.1.weight", "net.1.bias", "x", "z", "net(x)"], ["t", "tanh"])


def test_what_follows_an_error_that_the_program_caught_is_shown() -> None:
    source = (
        "layer = torch.nn.Linear(2, 3)\ntry:\n    layer(torch.ones(1, 4))\nexcept RuntimeError:\n    pass\n"
        "z = layer.weight.t()"
    )
    assert "z" in names(source)[0]


RUNNING = "net = torch.nn.Sequential(torch.nn.BatchNorm1d(2))\nx = torch.ones(3, 2)\n"


@pytest.mark.parametrize("end", ["net(x).sum().backward()", "y = net(x)\ntorch.ones(2) + torch.ones(3)"])
def test_running_statistics_are_shown_where_something_reads_them(end: str) -> None:
    kept = ["net.0.running_mean", "net.0.running_var"]
    assert not set(kept) & set(names(RUNNING + end)[0])
    assert set(kept) <= set(names(f"{RUNNING}net.eval()\n{end}")[0])
    assert kept[0] in names(f"{RUNNING}net(x)\nz = x * net[0].running_mean\n{end}")[0] or "backward" in end


def test_a_layer_alone_is_its_parameters() -> None:
    assert names("self_layer = torch.nn.Linear(2, 3)")[0] == ["self_layer.weight", "self_layer.bias"]


def test_of_a_program_that_names_nothing_all_is_shown() -> None:
    assert names("torch.ones(2)\ntorch.zeros(3)")[0] == ["torch.ones(2)", "torch.zeros(3)"]
