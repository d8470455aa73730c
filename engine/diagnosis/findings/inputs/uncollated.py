"""Parts of samples that a loader cannot put together: `None`, objects of the program."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition
from gradflow.engine.diagnosis.findings.words import code, finding, line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow, returned

_FOUND: Final = re.compile(r"^default_collate: .*; found <class '(?:__main__\.)?([\w.]+)'>")


@finds(errors.SAMPLER_TYPE)
def _part_of_sample(case: Case) -> Finding | None:
    """``return x, None`` in ``__getitem__``, or an object of a class of the program."""
    found = _FOUND.match(str(case.details.get("message", "")))
    if found is None:
        return None
    kind = found[1]
    back = _returned(case)
    where, where_zh = (
        (
            f" (`__getitem__` gives {code(case, back)} on line {line(back)})",
            f"（`__getitem__` 在第 {line(back)} 行返回 {code(case, back)}）",
        )
        if back is not None
        else ("", "")
    )
    own = any(one.name == kind for one in case.nodes(ast.ClassDef))
    if kind == "NoneType":
        what, what_zh = "a sample, or a part of it, is `None`", "某个样本或它的一部分是 `None`"
        action, action_zh = (
            "Give a value in its place, such as `-1` for a label that is not known, or leave that part out of the samples",
            "请给出一个值，例如用 `-1` 表示未知的标签，或者让样本不含这一部分",
        )
    elif own:
        what, what_zh = f"a sample holds an object of the class `{kind}`", f"样本里有类 `{kind}` 的对象"
        action, action_zh = (
            "Give the tensors and numbers of it back, as a tuple or a dictionary, or join the samples yourself with `collate_fn`",
            "请返回其中的张量和数，放进元组或字典，或者用 `collate_fn` 自己合并样本",
        )
    else:
        what, what_zh = f"a sample holds a `{kind}`", f"样本里有 `{kind}`"
        action, action_zh = (
            "Make a tensor or a number of it in `__getitem__`, or join the samples yourself with `collate_fn`",
            "请在 `__getitem__` 中把它变成张量或数，或者用 `collate_fn` 自己合并样本",
        )
    return finding(
        case,
        f"The loader joins samples of tensors, numbers, texts, lists and dictionaries into a batch, and {what}{where}. {action}.",
        f"加载器能把由张量、数、字符串、列表和字典组成的样本合并成批次，而{what_zh}{where_zh}。{action_zh}。",
        (),
        back,
    )


def _returned(case: Case) -> ast.expr | None:
    """What the one data set of the program that a loader goes through gives back, if it is one thing."""
    loaders = [one for one in case.nodes(ast.Call) if called(one).endswith("Loader") and one.args]
    kinds = {called(made) for one in loaders if isinstance(made := definition(case, one.args[0]), ast.Call)}
    methods = [Flow(case).methods(kind).get("__getitem__") for kind in kinds]
    results = [back for one in methods if one is not None for back in returned(one)]
    return results[0] if len(results) == 1 else None
