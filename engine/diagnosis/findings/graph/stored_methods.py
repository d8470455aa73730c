"""Methods of a model that give the model back, kept without their brackets, and called later as if they were the model."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.errors.language import mistakes
from gradflow.engine.namespace.nn.module import Module as Layer

_GIVE_BACK: Final = frozenset({"eval", "train", "float", "double", "half", "bfloat16", "cpu", "cuda", "requires_grad_"})
"""Methods that may be called without arguments and then give the module itself."""

_OTHER_NUMBERS: Final = ("double", "half", "bfloat16")
"""Those after which the inputs must be of another dtype, too."""


@finds(
    mistakes.NEEDS_SELF,
    errors.TRAINING_MODE,
    errors.ARGUMENT_TYPE,
    errors.TOO_MANY_ARGUMENTS,
    errors.KEYWORD_TYPE,
    errors.UNEXPECTED_KEYWORD,
    errors.DEVICE_ARGUMENTS,
)
def _method_kept(case: Case) -> Finding | None:
    """``self.net = net.eval``, and ``self.net(x)`` in another method."""
    call = case.find(ast.Call)
    method = case.value(call.func) if call is not None else None
    name = getattr(method, "__name__", "")
    if call is None or name not in _GIVE_BACK or not isinstance(getattr(method, "__self__", None), Layer):
        return None
    kept = next((one for one in Flow(case).behind(call.func) if _is_uncalled(case, one, name)), None)
    if kept is None or kept is call.func:
        return None
    text = f"{case.text(kept)}()"
    return finding(
        case,
        f"{code(case, kept)} on line {line(kept)} has no brackets, so what is kept there is the method `{name}` itself and not the model, and"
        f" {code(case, call.func)} calls that method. Call it on line {line(kept)}, `{text}`: `{name}()` gives the model back.",
        f"第 {line(kept)} 行的 {code(case, kept)} 后面没有括号，保存下来的是方法 `{name}` 本身，而不是模型，{code(case, call.func)} 调用的就是这个方法。请在第"
        f" {line(kept)} 行调用它：`{text}`，`{name}()` 会返回模型。",
        [case.fix(case.after(kept, "()"), case.statement(kept))] if name not in _OTHER_NUMBERS else (),
        kept,
    )


def _is_uncalled(case: Case, node: ast.expr, name: str) -> bool:
    """``net.eval`` that stands for itself."""
    parent = case.parents.get(node)
    called = isinstance(parent, ast.Call) and parent.func is node
    return isinstance(node, ast.Attribute) and node.attr == name and not called
