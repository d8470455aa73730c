"""What single operations do differently stands in their declarations, and programs meet it."""

from __future__ import annotations

from typing import Any

import pytest

from gradflow.engine.dispatch.signatures import overloads
from gradflow.engine.namespace.torch import modules
from gradflow.engine.out_rules import RULES, OutRule, has_alias, rule_of
from gradflow.engine.registry import REGISTRY
from gradflow.engine.run import run

MODULES = modules()
torch: Any = MODULES["torch"]


def _known(name: str) -> bool:
    module, _, function = f"torch.{name}".rpartition(".")
    return function in set(MODULES[module].names())


def test_a_rule_of_out_belongs_to_a_function_that_programs_can_call() -> None:
    assert [name for name in RULES if not _known(name)] == []


@pytest.mark.parametrize("name", sorted(RULES))
def test_the_text_of_a_rule_names_what_is_known(name: str) -> None:
    text = rule_of(name).dtype
    assert text is None or "{" not in text.format(name=name, R="Float", r="float", O="Int", o="int", flag=False)


def test_another_name_of_a_function_refuses_gradients_under_the_one_of_old(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RULES, "new_name", OutRule())
    has_alias("new_name", "linalg.vector_norm")
    assert rule_of("new_name").refusal("new_name") == "linalg_vector_norm"


def test_every_operation_that_programs_can_call_has_a_recorded_signature() -> None:
    """Without one wrong arguments reach its body: `python -m scripts.record.signatures` records what PyTorch has."""
    known = {each.rpartition(".")[2] if not each.startswith("Tensor.") else each for each in overloads()}
    functions = {name.replace(".", "_") for op in REGISTRY for name in op.functions}
    methods = {f"Tensor.{name}" for op in REGISTRY for name in op.methods if not name.startswith("__")}
    assert sorted((functions | methods) - known) == []


@pytest.mark.parametrize(
    ("result", "saved"),
    [
        ("x.norm(dim=1)", "(1,)"),
        ("x.norm(dim=(0, 1))", "(0, 1)"),
        ("torch.nansum(x, 1)", "(1,)"),
        ("x.mean(-1)", f"({2**64 - 1},)"),
        ("torch.aminmax(x, dim=1)[0]", "1"),
        ("x.cumsum(1)", "1"),
    ],
)
def test_a_setting_that_names_dimensions_is_saved_as_a_tuple(result: str, saved: str) -> None:
    trace = run(f"import torch\nx = torch.ones(2, 3, requires_grad=True)\nprint({result}.grad_fn._saved_dim)")
    assert trace.stdout == f"{saved}\n"


def test_one_number_is_written_even_where_elements_share_memory() -> None:
    assert torch.zeros(1).expand(3).fill_(2.0).tolist() == [2.0, 2.0, 2.0]
    assert torch.ones(1).expand(3).zero_().tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda: torch.tensor([1, 2]).__iand__(1.5), "result type Float can't be cast to the desired output type Long"),
        (
            lambda: torch.ldexp_(torch.tensor([1]), torch.tensor([1])),
            "ldexp can't be cast to the desired output type Long",
        ),
        (
            lambda: torch.tensor([1.0]).addr_(torch.ones(2), torch.ones(2)),
            "2D tensor expected, got 1D tensor for input",
        ),
    ],
)
def test_a_form_in_place_refuses_before_it_computes(write: Any, message: str) -> None:
    with pytest.raises(RuntimeError) as caught:
        write()
    assert str(caught.value) == message


def test_forms_in_place_are_functions_of_torch_where_they_are_in_pytorch() -> None:
    x = torch.tensor([-2.0, 0.5, 3.0])
    assert torch.clip_(x, -1, 1) is x
    assert x.tolist() == [-1.0, 0.5, 1.0]
    assert torch.addmv_(torch.zeros(2), torch.ones(2, 2), torch.ones(2)).tolist() == [2.0, 2.0]
    assert not _known("add_")
