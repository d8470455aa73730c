"""The rules of a trace: each stated once, for the arguments that were given."""

from __future__ import annotations

import json

import pytest

from gradflow.engine.run import run
from gradflow.engine.trace import OperandToken, Rule, Token, Trace
from tests.support.samples import record_sample, samples

SAMPLES = {name: (op, sample) for name, op, sample in samples()}


def written(tokens: list[Token]) -> str:
    """The tokens as text, operands by name, settings with a sign, what is transposed and what is a region marked."""

    def one(token: Token) -> str:
        if not isinstance(token, OperandToken):
            return token.tex
        return "#" * (token.role == "setting") + token.name + "'" * token.transposed + "|W" * token.region

    return "".join(map(one, tokens))


def rule_of(program: str) -> Rule:
    """The rule of the last function of a program that computes with ``x``, ``v`` and ``w``."""
    leaves = "import torch\nfrom torch.nn import functional as F\nx = torch.rand(4, 4, requires_grad=True)\n"
    trace = run(f"{leaves}v, w = torch.rand(4), torch.rand(4, 4)\n{program}")
    assert trace.error is None
    return trace.rules[trace.nodes[-1].rule]


@pytest.mark.parametrize("name", SAMPLES)
def test_no_rule_names_what_is_not_there(name: str) -> None:
    trace = json.loads(record_sample(*SAMPLES[name]))
    assert trace["nodes"]
    assert {node["rule"] for node in trace["nodes"]} == set(trace["rules"])
    for rule in trace["rules"].values():
        assert "None" not in json.dumps(rule)
        assert "⟦" not in json.dumps(rule, ensure_ascii=False)
        operands = [
            t for line in (rule["forward"], *rule["gradients"].values()) for t in line if t["kind"] == "operand"
        ]
        values = {t["name"] for t in operands if t["role"] == "value"}
        assert values <= {*rule["inputs"], *rule["outputs"]}


FORWARD = {
    "x.mean()": r"\operatorname{mean}\left(input\right)",
    "x.sum(1)": r"\textstyle\sum_{1} input",
    "x.clamp(min=0)": r"\max\left(input, 0\right)",
    "x.clamp(max=2.5)": r"\min\left(input, #max\right)",
    "torch.add(x, w)": "input+other",
    "torch.add(x, w, alpha=3)": r"input+#alpha\,other",
    "torch.addmm(x, w, w)": r"input+mat1\,mat2",
    "torch.addmm(x, w, w, beta=2, alpha=0.5)": r"#beta\,input+#alpha\,mat1\,mat2",
    "F.layer_norm(x, (4,))": r"\frac{input-\mu}{\sqrt{\sigma^2+\epsilon}}",
    "F.layer_norm(x, (4,), v)": r"\frac{input-\mu}{\sqrt{\sigma^2+\epsilon}} \odot weight",
    "F.layer_norm(x, (4,), v, v)": r"\frac{input-\mu}{\sqrt{\sigma^2+\epsilon}} \odot weight+bias",
    "torch.cat([x, w])": r"\operatorname{cat}\left(tensors.0,\,tensors.1\right)",
    "torch.stack([x] * 9)": r"\operatorname{stack}\left(tensors.0,\,tensors.1,\,tensors.2,\,\dots,\,tensors.8\right)",
}


@pytest.mark.parametrize("program", FORWARD)
def test_a_forward_rule_has_the_arguments_that_were_given(program: str) -> None:
    assert written(rule_of(program).forward) == FORWARD[program]


GRADIENTS = {
    "x.mean()": r"\tfrac{1}{16}\,\mathbf{1}\,g",
    "x.mean(1)": r"\tfrac{1}{4}\,\mathbf{1}\,g",
    "x @ w": "g\\,mat2'",
    "x * 1": "g",
    "x * -1": "-g",
    "x * 2.5": r"g\,#other",
    "x / 1": "g",
    "x + 2": "g",
    "x ** 2": r"g \odot #exponent\,{input}^{#exponent-1}",
    "x.clamp(min=0)": r"\operatorname{where}\left(\left[0 \le input\right], g, 0\right)",
    "x.clamp(0.5, 2)": r"\operatorname{where}\left(\left[#min \le input \le #max\right], g, 0\right)",
    "torch.addmm(x, w, w)": r"\textstyle\sum g",
}


@pytest.mark.parametrize("program", GRADIENTS)
def test_a_gradient_rule_is_free_of_what_changes_nothing(program: str) -> None:
    assert written(rule_of(program).gradients["input"]) == GRADIENTS[program]


def test_the_rule_of_a_write_works_on_the_written_region() -> None:
    trace = run("import torch\ny = torch.rand(2, 2, requires_grad=True) * 1\ny[0] *= torch.rand(2)")
    rule, _ = [trace.rules[node.rule] for node in trace.nodes if node.kind == "copy_slices"]
    assert written(rule.forward) == r"input\,\big|_{W \leftarrow input|W \odot other}"
    assert written(rule.gradients["input"]) == r"g\,\big|_{W \leftarrow g|W \odot other}"
    assert "input" not in rule.expressions


def rules_used(trace: Trace, op: str) -> set[str]:
    return {node.rule for node in trace.nodes if node.op == op}


def test_functions_that_differ_in_numbers_share_a_rule() -> None:
    trace = run("x = torch.ones(3, requires_grad=True)\nfor i in range(2, 40):\n    x = x * i\n    y = x[i % 3]")
    assert [len(rules_used(trace, op)) for op in ("mul", "select")] == [1, 3]  # an index of 0 or 1 is a constant


def test_sizes_of_their_own_end_somewhere() -> None:
    trace = run("x = torch.ones(600, requires_grad=True)\nfor i in range(1, 600):\n    x[:i].mean()")
    gradients = {written(trace.rules[r].gradients["input"]) for r in rules_used(trace, "mean_all")}
    assert r"\tfrac{1}{2}\,\mathbf{1}\,g" in gradients
    assert r"\mathbf{1}\,g \oslash n" in gradients
    assert len(trace.rules) < 300


def test_a_function_of_the_program_has_one_rule() -> None:
    double = """class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        return x * factor
    @staticmethod
    def backward(ctx, g):
        return g * 2, None
x = torch.ones(2, requires_grad=True)
for _ in range(5):
    x = Double.apply(x, None)"""
    trace = run(f"import torch\n{double.replace('x * factor', 'x * 2')}")
    [number] = rules_used(trace, "Double")
    assert written(trace.rules[number].forward) == r"\operatorname{Double}\left(x\right)"
    assert written(trace.rules[number].gradients["x"]) == r"\operatorname{backward}\left(g\right)"
