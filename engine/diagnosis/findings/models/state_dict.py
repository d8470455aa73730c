"""A state that does not fit the model that is to load it: a whole checkpoint, a prefix, other names, other sizes."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.elsewhere.rebuilt import rebuilt_otherwise
from gradflow.engine.diagnosis.findings.meant.wrapped import saved_from_wrapper, wrapped_at
from gradflow.engine.diagnosis.findings.words import apply, code, finding, line, on_line
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.namespace.nn.module import Module as Layer
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Fix

_SHOWN: Final = 2
_SIZES: Final = re.compile(
    r"size mismatch for (\S+): copying a param with shape torch\.Size\((\[.*?\])\) from checkpoint, the shape in current"
    r" model is torch\.Size\((\[.*?\])\)"
)


@dataclass(frozen=True)
class _Loading:
    """A call of ``load_state_dict`` that failed: what is loaded into what, and what does not fit."""

    call: ast.Call
    owner: ast.expr
    given: ast.expr
    model: Layer
    state: Mapping[str, object]
    missing: Sequence[str]
    unexpected: Sequence[str]
    sizes: Sequence[tuple[str, str, str]]

    @property
    def own(self) -> dict[str, Tensor]:
        """What the model has under which name."""
        return _held(self.model)


def _held(model: Layer) -> dict[str, Tensor]:
    return {**dict(model.named_parameters(remove_duplicate=False)), **dict(model.named_buffers())}


def _loading(case: Case) -> _Loading | None:
    match case.find(ast.Call):
        case ast.Call(func=ast.Attribute(value=owner, attr="load_state_dict"), args=[given, *_]) as call:
            model, told = case.value(owner), str(case.details.get("complaints", ""))
            if isinstance(model, Layer):
                state = _state(case, given) or _loaded(case)
                missing, unexpected = (_keys(told, word) for word in ("Missing", "Unexpected"))
                return _Loading(call, owner, given, model, state, missing, unexpected, _SIZES.findall(told))
    return None


def _keys(told: str, word: str) -> list[str]:
    found = re.search(rf"{word} key\(s\) in state_dict: (.*?)\. (?:\n|$)", told)
    return re.findall(r'"([^"]*)"', found[1]) if found else []


def _state(case: Case, node: ast.expr) -> Mapping[str, object]:
    """The state that an expression gives, as far as that is known."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr="state_dict"), args=[]):
            model = case.value(owner)
            return _held(model) if isinstance(model, Layer) else {}
        case ast.Subscript(value=owner, slice=ast.Constant(value=str(key))):
            inner = _state(case, owner).get(key)
            return inner if isinstance(inner, Mapping) else {}
    value = case.value(node)
    return value if isinstance(value, Mapping) else {}


def _loaded(case: Case) -> Mapping[str, object]:
    """The state that the model was given, as the error has it: of a call that stands in the brackets nothing else is known."""
    state = case.details.get("state")
    return state if isinstance(state, Mapping) else {}


def _some(names: Sequence[str]) -> str:
    """The first names in backticks, and that there are more."""
    return ", ".join(f"`{name}`" for name in names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")


def _some_zh(names: Sequence[str]) -> str:
    return _some(names).replace(", ...", " 等").replace(", ", "、")


@finds(errors.STATE_LOADING)
def _whole_checkpoint(case: Case) -> Finding | None:
    """``{"model": model.state_dict(), "epoch": 3}``: the state stands inside of what was saved."""
    found = _loading(case)
    if found is None:
        return None
    if keys := _fitting(found):
        listed, listed_zh = _some(list(found.state)), _some_zh(list(found.state))
        taken = [f"{case.operand(found.given)}[{key!r}]" for key in keys]
        texts, names = (" or ".join(f"`{one}`" for one in each) for each in (taken, keys))
        return finding(
            case,
            f"{code(case, found.given)} is a whole checkpoint with the entries {listed}; the state of the model is the one under {names}. Take it out:"
            f" {texts}.",
            f"{code(case, found.given)} 是完整的检查点，含有 {listed_zh}；模型的状态在 {names.replace(' or ', ' 或 ')} 下面。请取出它：{texts.replace(' or ', ' 或 ')}。",
            [case.fix(case.followed(found.given, f"[{key!r}]"), found.call) for key in keys],
        )
    if "param_groups" in found.unexpected:
        fix = _beside(case, found)
        more, more_zh = (f"Take {fix.title.en}.", f"请改为 {fix.title.zh}。") if fix is not None else _OWN_KIND
        return finding(
            case,
            f"{code(case, found.given)} is the state of an optimizer (`state`, `param_groups`), and {code(case, found.owner)} is a model. {more}",
            f"{code(case, found.given)} 是优化器的状态（`state`、`param_groups`），而 {code(case, found.owner)} 是模型。{more_zh}",
            [fix] if fix is not None else (),
        )
    return None


_OWN_KIND: Final = ("Load each into its own kind.", "请把状态载入各自的对象。")


def _beside(case: Case, found: _Loading) -> Fix | None:
    """``ck["model"]`` in the place of ``ck["optimizer"]``: the entry of the same dictionary that fits the model."""
    if not isinstance(found.given, ast.Subscript):
        return None
    whole = case.value(found.given.value)
    keys = _fitting(replace(found, state=whole)) if isinstance(whole, Mapping) else []
    return case.fix(case.replace(found.given.slice, repr(keys[0])), found.given) if len(keys) == 1 else None


def _fitting(found: _Loading) -> list[str]:
    """The entries under which a state of this model can stand: those that fit whole, or the first that has some of its names."""
    own = {name: tuple(one.shape) for name, one in found.own.items()}
    inner = {key: one for key, one in found.state.items() if isinstance(one, Mapping) and set(one) & set(own)}
    whole = [key for key, one in inner.items() if {name: tuple(getattr(one[name], "shape", ())) for name in one} == own]
    return whole[:_SHOWN] or list(inner)[:1]


def _prefix_of(found: _Loading) -> tuple[str, str, str] | None:
    """What all names of one side begin with, beyond those of the other; and the first name of both, the longer one first."""
    if not found.missing or not found.unexpected:
        return None
    pair = sorted((found.unexpected, found.missing), key=lambda names: -len(names[0]))
    (long, *_), (short, *_) = pair
    prefix = long.removesuffix(short)
    whole = {
        name for name in pair[0] if not name.endswith("num_batches_tracked")
    }  # of which nobody says that it is missing
    if prefix == long or not prefix.endswith(".") or {prefix + name for name in pair[1]} not in (set(pair[0]), whole):
        return None
    return prefix, long, short


@finds(errors.STATE_LOADING)
def _of_wrapper(case: Case) -> Finding | None:
    """``wrapped.state_dict()`` for the model inside."""
    found = _loading(case)
    names = _prefix_of(found) if found is not None else None
    if found is None or names is None or names[1] not in found.unexpected:
        return None
    return saved_from_wrapper(case, found.given, case.text(found.owner), names)


@finds(errors.STATE_LOADING)
def _prefix(case: Case) -> Finding | None:
    """``module.fc.weight`` for ``fc.weight``, or the other way round."""
    found = _loading(case)
    names = _prefix_of(found) if found is not None else None
    if found is None or names is None:
        return None
    prefix, long, short = names
    given, owner = case.text(found.given), case.text(found.owner)
    if long in found.unexpected:
        where, where_zh, made = wrapped_at(case, found.given, prefix)
        text = f"{{name.removeprefix({prefix!r}): value for name, value in {given}.items()}}"
        return finding(
            case,
            f"Every name in {code(case, found.given)} begins with `{prefix}`, as in `{long}`, and `{owner}` calls it"
            f" `{short}`: the state was saved from a model that held this one inside{where}. Take `{prefix}` off the names.",
            f"{code(case, found.given)} 里的名字都以 `{prefix}` 开头，例如 `{long}`，而 `{owner}` 把它叫作 `{short}`：保存状态时，这个"
            f"模型包在另一个模型里面{where_zh}。请把名字里的 `{prefix}` 去掉。",
            apply(case, case.replace(found.given, text), f"Without `{prefix}`", f"去掉 `{prefix}`"),
            made,
        )
    return finding(
        case,
        f"{code(case, found.given)} calls `{short}` what is `{long}` in `{owner}`: it is the state of the part"
        f" `{owner}.{prefix[:-1]}` alone. Load it there: `{owner}.{prefix}load_state_dict(...)`.",
        f"{code(case, found.given)} 里的 `{short}` 在 `{owner}` 里叫 `{long}`：它只是其中 `{owner}.{prefix[:-1]}` 这一部分的状态。请载入"
        f"那里：`{owner}.{prefix}load_state_dict(...)`。",
        case.fix(case.after(found.owner, f".{prefix[:-1]}"), found.call),
    )


@finds(errors.STATE_LOADING)
def _renamed(case: Case) -> Finding | None:
    """The same tensors in the same order, under other names."""
    found = _loading(case)
    if found is None or not found.missing or not found.unexpected or found.sizes:
        return None
    own, state = found.own, found.state
    shapes = [tuple(one.shape) for one in state.values() if isinstance(one, Tensor)]
    if len(shapes) != len(state) or [tuple(one.shape) for one in own.values()] != shapes:
        return None
    text = f"dict(zip({case.operand(found.owner)}.state_dict(), {case.operand(found.given)}.values()))"
    return finding(
        case,
        f"A state is matched by name: {code(case, found.given)} has {_some(found.unexpected)}, and `{case.text(found.owner)}`"
        f" calls its own {_some(found.missing)}. Shapes and order are the same, so the values can be given the names that the"
        f" model uses: `{text}`.",
        f"状态按名字对应：{code(case, found.given)} 里是 {_some_zh(found.unexpected)}，而 `{case.text(found.owner)}` 把自己的叫作"
        f" {_some_zh(found.missing)}。形状和顺序都相同，所以可以给这些数值换上模型所用的名字：`{text}`。",
        case.fix(case.replace(found.given, text), found.call),
    )


@finds(errors.STATE_LOADING)
def _sizes(case: Case) -> Finding | None:
    """The state of a model with layers of other sizes."""
    found = _loading(case)
    if found is None or not found.sizes:
        return None
    name, saved, own = found.sizes[0]
    made = case.assignment(found.owner.id) if isinstance(found.owner, ast.Name) else None
    source = _saved_from(case, found.given)
    fix = _made_alike(case, made, source)
    asked = isinstance(made, ast.Call) and bool(made.args or made.keywords)  # for that size
    if (fix is None or (asked and _is_last(case, found))) and (head := _other_head(case, found)) is not None:
        return head
    if fix is None and (other := rebuilt_otherwise(case, found.owner, found.given, found.sizes[0])) is not None:
        return other
    place, place_zh = on_line(made)
    like, like_zh = "", ""
    if fix is not None and source is not None:
        like = f", like {code(case, source)} on line {line(source)}"
        like_zh = f"，与第 {line(source)} 行的 {code(case, source)} 一样"
    return finding(
        case,
        f"`{name}` is {saved} in the state, and {own} in `{case.text(found.owner)}`{place}: the state was saved from a model of"
        f" other sizes. Make the model with the sizes of the state{like}.",
        f"`{name}` 在状态里是 {saved}，在 `{case.text(found.owner)}`{place_zh} 里是 {own}：状态来自另一种大小的模型。请按状态的大小创建模型"
        f"{like_zh}。",
        fix or (),
        made,
    )


def _is_last(case: Case, found: _Loading) -> bool:
    """Whether the layers fit but for how many numbers the last one gives."""
    held = case.value(found.owner)
    names = [name for name, _ in held.named_parameters()] if isinstance(held, Layer) else []
    last = names[-1].rpartition(".")[0] if names else ""
    return all(
        name.rpartition(".")[0] == last and saved.partition(",")[2] == own.partition(",")[2]
        for name, saved, own in found.sizes
    )


def _other_head(case: Case, found: _Loading) -> Finding | None:
    """One layer of another size, in a model whose other layers fit: a head for other classes."""
    parts = {name.rpartition(".")[0] for name, *_ in found.sizes}
    held = case.value(found.owner)
    names = [name for name, _ in held.named_parameters()] if isinstance(held, Layer) else []
    if (
        len(parts) != 1
        or "" in parts  # the model is that layer
        or found.missing
        or found.unexpected
        or all(one.startswith(f"{next(iter(parts))}.") for one in names)
    ):
        return None
    name, saved, own = found.sizes[0]
    part, given = parts.pop(), case.text(found.given)
    text = f"{{name: value for name, value in {given}.items() if not name.startswith('{part}.')}}"
    call = found.call
    strict = "" if any(one.arg == "strict" for one in call.keywords) else ", strict=False"
    return finding(
        case,
        f"`{part}` alone has another size: `{name}` is {saved} in the state and {own} in `{case.text(found.owner)}`, as for other classes; all other"
        f" layers fit. Load those and leave `{part}` as it is: `{text}` with `strict=False`.",
        f"只有 `{part}` 的大小不同：`{name}` 在状态里是 {saved}，在 `{case.text(found.owner)}` 里是 {own}，像是类别数不同；其他层都相同。请只加载其他层，保留"
        f" `{part}`：`{text}`，并写上 `strict=False`。",
        case.fix([*case.replace(found.given, text), *case.after(found.given, strict)], call)
        if not strict
        else apply(case, case.replace(found.given, f"{text}{strict}"), f"Leave `{part}` out", f"不加载 `{part}`") or (),
        call,
    )


def _saved_from(case: Case, given: ast.expr) -> ast.expr | None:
    """The expression that made the model whose state this is."""
    for node in Flow(case).behind(given):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="state_dict")):
                return case.assignment(name)
    return None


def _made_alike(case: Case, made: ast.expr | None, source: ast.expr | None) -> Fix | None:
    """The arguments of the other model, where both are made by the same call."""
    if not isinstance(made, ast.Call) or not isinstance(source, ast.Call):
        return None
    same = ast.unparse(made.func) == ast.unparse(source.func) and len(made.args) == len(source.args)
    numbers = all(isinstance(one, ast.Constant) for one in source.args)
    plain = not ast.unparse(made.func).endswith("Sequential")
    return case.fix(case.replace(made, case.text(source)), case.statement(made)) if same and numbers and plain else None


@finds(errors.STATE_LOADING)
def _partly(case: Case) -> Finding | None:
    """Some names are too many, or too few."""
    found = _loading(case)
    if found is None or not (found.missing or found.unexpected):
        return None
    owner, given = f"`{case.text(found.owner)}`", code(case, found.given)
    en, zh = [], []
    if found.missing:
        en.append(f"{owner} has {_some(found.missing)}, of which {given} says nothing")
        zh.append(f"{owner} 有 {_some_zh(found.missing)}，而 {given} 里没有")
    if found.unexpected:
        en.append(f"{given} has {_some(found.unexpected)}, for which {owner} has no place")
        zh.append(f"{given} 里有 {_some_zh(found.unexpected)}，而 {owner} 没有对应的位置")
    fitting = len(found.own) - len(found.missing)
    if not fitting:
        action = "No name is the same, so nothing could be loaded: build the same model as the one that was saved, or rename."
        action_zh = "没有一个名字相同，什么也载入不了：请创建与保存时相同的模型，或者改名。"
        return finding(case, f"{'; '.join(en)}. {action}", f"{'；'.join(zh)}。{action_zh}", ())
    return finding(
        case,
        f"{'; '.join(en)}. If the models are meant to differ there, load the {fitting} that fit with `strict=False`; the others"
        f" stay as they were made.",
        f"{'；'.join(zh)}。如果两个模型在那里本来就不同，请用 `strict=False` 载入对得上的 {fitting} 个，其余保持创建时的值。",
        case.fix(case.argument(found.call, "strict=False"), found.call),
    )
