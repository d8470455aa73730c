"""What was scored before an optimizer's step, and goes into another loss after it: scored anew it is what was meant."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.meant.trained import layer_with, trained
from gradflow.engine.diagnosis.findings.nothing_differentiable import output_of
from gradflow.engine.diagnosis.findings.practice.overwritten import free_name
from gradflow.engine.diagnosis.findings.second_pass import whole_line
from gradflow.engine.diagnosis.findings.words import apply, code, finding, joined, line, lines_of_all, text_with
from gradflow.engine.diagnosis.findings.writes import last_write, step_before
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.tensor import Tensor
from gradflow.engine.trace import Edit, Fix

_MOST: Final = 3


@dataclass(frozen=True)
class _Reuse:
    """A loss behind a step, and the statements in front of it whose results it uses, made with the weights as they were."""

    body: Sequence[ast.stmt]
    step: ast.stmt
    loss: ast.stmt
    pass_: ast.stmt
    stale: Sequence[ast.Assign]
    layer: ast.expr

    @property
    def is_early(self) -> bool:
        """Whether the loss, too, stands before the step."""
        return self.body.index(self.loss) < self.body.index(self.step)

    @property
    def names(self) -> list[str]:
        """What the statements give, each once."""
        return list(dict.fromkeys(_target(one) for one in self.stale))


@finds(errors.SAVED_MODIFIED, errors.SAVED_MODIFIED_TRACED)
def _scored_before(case: Case) -> Finding | None:
    """``g_loss = bce(score_fake, ones)`` behind ``opt_d.step()``, with a score of before the step."""
    found = _reuse(case, through=True)
    if found is None:
        return None
    last = found.names[-1]
    names = [f"`{one}`" for one in found.names]
    model, step = code(case, found.layer), code(case, found.step)
    text = "; ".join([*(_text(case, one) for one in found.stale), *([case.text(found.loss)] if found.is_early else [])])
    too, too_zh = (", and the loss of it", "，并重新计算这个损失") if found.is_early else ("", "")
    verb = "was" if len(names) == 1 else "were"
    given = (
        _input(case, found.stale[0], found.layer) if len(found.stale) == 1 and not _is_cleared(case, found) else None
    )
    fix, also, also_zh = _again(case, found), "", ""
    if given is not None:
        fix = _cut(case, _again(case, found, cut=True), found.stale[0], given)
        cut = f"{case.operand(given)}.detach()", line(found.stale[0])
        also = f", and give {model} `{cut[0]}` on line {cut[1]}, so that the pass before the step leaves no gradient behind `{case.text(given)}`"
        also_zh = f"，并在第 {cut[1]} 行给 {model} 传入 `{cut[0]}`，使这次更新之前的反向传播不在 `{case.text(given)}` 后面留下梯度"
    rows, rows_zh = lines_of_all([line(one) for one in found.stale])
    return finding(
        case,
        f"{code(case, found.loss)} on line {line(found.loss)} uses {joined(names, 'en')} of {rows[0].lower()}{rows[1:]}, which {verb} computed with the"
        f" weights of {model} before {step} on line {line(found.step)} changed them in place; the backward pass needs them as they were. Compute"
        f" `{last}` again behind the step, with the new weights{too}: `{text}`{also}.",
        f"第 {line(found.loss)} 行的 {code(case, found.loss)} 使用{rows_zh}的 {joined(names, 'zh')}，它是用 {model} 的旧权重算出的，而之后第"
        f" {line(found.step)} 行的 {step} 就地修改了这些权重；反向传播需要旧值。请在这次更新之后用新的权重重新计算 `{last}`{too_zh}：`{text}`{also_zh}。",
        fix or (),
        found.loss,
    )


@finds(errors.BACKWARD_TWICE)
def _freed_and_scored_before(case: Case) -> Finding | None:
    """The same, where the first pass has freed what the score was computed from."""
    found = _reuse(case)
    cut_off = (
        next((one for one in found.stale if _text(case, one) != case.text(one)), None) if found is not None else None
    )
    if found is not None and cut_off is not None:
        return None if _has_other_graph(case, found, cut_off) else _freed_and_cut_off(case, found, cut_off)
    if found is None or found.is_early or len(found.stale) != 1:
        return None
    score = found.stale[0]
    again = _again(case, found, cut=True)
    given = _input(case, score, found.layer)
    if again is None or given is None:
        return None
    cut, text, step = f"{case.operand(given)}.detach()", _text(case, score), code(case, found.step)
    return finding(
        case,
        f"{code(case, found.loss)} on line {line(found.loss)} uses `{_target(score)}` of line {line(score)}, whose graph the pass before {step} on line"
        f" {line(found.step)} has freed, and whose weights {step} has changed. Compute it again behind the step, `{text}`, and give {code(case, found.layer)}"
        f" `{cut}` on line {line(score)}, for that pass needs no gradient of `{case.text(given)}`.",
        f"第 {line(found.loss)} 行的 {code(case, found.loss)} 使用第 {line(score)} 行的 `{_target(score)}`，而第 {line(found.step)} 行的 {step} 之前的反向传播已经释放了"
        f"它的计算图，{step} 又改变了算出它的权重。请在这次更新之后重新计算 `{text}`，并在第 {line(score)} 行给 {code(case, found.layer)} 传入 `{cut}`，因为那次反向传播"
        f"不需要 `{case.text(given)}` 的梯度。",
        _cut(case, again, score, given) or (),
        found.loss,
    )


def _has_other_graph(case: Case, found: _Reuse, score: ast.Assign) -> bool:
    """Whether a loss is computed from more with a graph than a score and what that is the score of, as one of an actor is."""
    own = {*found.names, *_read(score)}
    return any(
        isinstance(held := case.values.get(name), Tensor) and held.requires_grad for name in _read(found.loss) - own
    )


def _freed_and_cut_off(case: Case, found: _Reuse, score: ast.Assign) -> Finding:
    """The same of ``D(fake.detach())``, which does not lead to what the second loss is to train."""
    name, model, step = _target(score), code(case, found.layer), code(case, found.step)
    text = "; ".join([*(_text(case, one) for one in found.stale), *([case.text(found.loss)] if found.is_early else [])])
    too, too_zh = (", and the loss of it", "，并重新计算这个损失") if found.is_early else ("", "")
    return finding(
        case,
        f"{code(case, found.loss)} on line {line(found.loss)} uses `{name}` of line {line(score)}, `{case.text(score.value)}`, made for {step} on line"
        f" {line(found.step)}: the pass before that step has freed its graph, and `.detach()` keeps all behind it out, so this loss could train nothing there."
        f" Let {model} compute it anew, behind the step and without `.detach()`{too}: `{text}`.",
        f"第 {line(found.loss)} 行的 {code(case, found.loss)} 使用第 {line(score)} 行的 `{name}`，即 `{case.text(score.value)}`，这是为第 {line(found.step)} 行的 {step} 计算的："
        f"那次更新之前的反向传播已经释放了它的计算图，而 `.detach()` 又切断了与前面的联系，所以这个损失训练不到那里。请在这次更新之后、不用 `.detach()`，让 {model} 重新计算{too_zh}：`{text}`。",
        _again(case, found) or (),
        found.loss,
    )


def _cut(case: Case, again: Fix | None, score: ast.Assign, given: ast.Name) -> Fix | None:
    """The score anew, and the first one only for what the step trains."""
    first = text_with(case, score, given, f"{given.id}.detach()")
    title = (f"`{first}`; {again.title.en}", f"`{first}`；{again.title.zh}") if again is not None else ("", "")
    return apply(case, [*again.edits, *case.followed(given, ".detach()")], *title) if again is not None else None


def _input(case: Case, score: ast.Assign, layer: ast.expr) -> ast.Name | None:
    """What a layer scores: one name, of a tensor that others than the layer made."""
    calls = [one for one in ast.walk(score.value) if isinstance(one, ast.Call) and one.func is layer]
    given = calls[0].args[0] if len(calls) == 1 and len(calls[0].args) == 1 and not calls[0].keywords else None
    held = case.value(given) if isinstance(given, ast.Name) else None
    return given if isinstance(given, ast.Name) and isinstance(held, Tensor) and held.grad_fn is not None else None


def _target(statement: ast.Assign) -> str:
    return str(getattr(statement.targets[0], "id", ""))


def _reuse(case: Case, through: bool = False) -> _Reuse | None:
    """A loss that uses what was computed before a step; ``through``: or what it is computed from behind the step does."""
    call, write = case.find(ast.Call), last_write(case) or step_before(case)
    written = trained(case, write)
    step, pass_ = (case.statement(one) if one is not None else None for one in (write, call))
    body = getattr(case.parents.get(step), "body", []) if step is not None else []
    if not written or step not in body or pass_ not in body or step is None or pass_ is None:
        return None
    if body.index(step) >= body.index(pass_):
        return None
    loss = _loss(case, body, pass_)
    if loss is None:
        return None
    before = body[: body.index(step)]
    stale, layer = _stale(case, before, loss, written)
    if through and not stale:
        readers = [one for one in _leading_to(body, step, loss) if _stale(case, before, one, written)[0]]
        loss = readers[0] if len(readers) == 1 else loss
        stale, layer = _stale(case, before, loss, written)
    if layer is None or not 0 < len(stale) <= _MOST or any(_draws(one) for one in stale) or _is_shared(case, written):
        return None
    return _Reuse(body, step, loss, pass_, stale, layer)


def _leading_to(body: Sequence[ast.stmt], step: ast.stmt, loss: ast.stmt) -> list[ast.Assign]:
    """The statements between a step and a loss behind it that the loss is computed from."""
    needed, found = _read(loss), list[ast.Assign]()
    for one in reversed(body[body.index(step) + 1 : max(body.index(loss), body.index(step) + 1)]):
        if isinstance(one, ast.Assign) and _target(one) in needed:
            found.append(one)
            needed |= _read(one.value)
    return found


def _draws(statement: ast.stmt) -> bool:
    """Whether a statement draws numbers: again it would give others."""
    calls = [called(one) for one in ast.walk(statement) if isinstance(one, ast.Call)]
    return any("sample" in one or "rand" in one or one in ("multinomial", "bernoulli", "normal") for one in calls)


def _is_shared(case: Case, written: set[int]) -> bool:
    """Whether another optimizer trains some of the parameters, too: both passes then belong in front of both steps."""
    steps = {case.text(one): trained(case, one) for one in case.nodes(ast.Call) if called(one) == "step"}
    return any(one & written and one != written for one in steps.values())


def _loss(case: Case, body: Sequence[ast.stmt], pass_: ast.stmt) -> ast.stmt | None:
    """The statement that computes what a pass begins at: the pass itself, or the last one that its name is given by."""
    output = output_of(case)
    if not isinstance(output, ast.Name):
        return pass_ if output is not None else None
    given = [one for one in body[: body.index(pass_)] if isinstance(one, ast.Assign) and _target(one) == output.id]
    return given[-1] if given else None


def _stale(
    case: Case, before: Sequence[ast.stmt], loss: ast.stmt, written: set[int]
) -> tuple[list[ast.Assign], ast.expr | None]:
    """The statements before a step that a loss goes back to and that used what the step wrote; and the first layer that did."""
    used: set[str] = set()
    layer: ast.expr | None = None
    for one in before:
        if not isinstance(one, ast.Assign) or not _target(one) or len(one.targets) != 1:
            continue
        found = layer_with(case, one.value, written)
        layer = layer or found
        (used.add if found is not None or _read(one.value) & used else used.discard)(_target(one))
    needed, stale = _read(loss) & used, []
    for one in reversed(before):
        if one is loss or not isinstance(one, ast.Assign) or _target(one) not in needed:
            continue
        if layer_with(case, one.value, written) is not None or _read(one.value) & used:
            stale.append(one)
            needed |= _read(one.value) & used
            if _target(one) not in _read(one.value):
                needed.discard(_target(one))
    return stale[::-1], layer


def _read(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _text(case: Case, statement: ast.Assign) -> str:
    """A statement again, and through to what its input was computed from: a score for the step alone was cut off there."""
    text = case.text(statement)
    for one in ast.walk(statement.value):
        match one:
            case ast.Call(func=ast.Attribute(value=inner, attr="detach"), args=[]) if (
                isinstance(held := case.value(inner), Tensor) and held.requires_grad
            ):
                text = text.replace(case.text(one), case.text(inner))
    return text


def _again(case: Case, found: _Reuse, cut: bool = False) -> Fix | None:
    """The statements again behind the step, where nothing that they read has changed; with the loss, where it stands before."""
    texts = [_text(case, one) for one in found.stale]
    place = found.pass_ if found.is_early else found.loss
    repeated = [*found.stale, *([found.loss] if found.is_early else [])]
    inputs = {name for one in repeated for name in _read(one)} - set(found.names)
    between = found.body[found.body.index(found.stale[0]) + 1 : found.body.index(place)]
    rebound = {name for each in between if each not in repeated for name in _stored(each)}
    if inputs & rebound or not (cut or _is_cleared(case, found)):
        return None
    edits: list[Edit] = []
    if found.is_early:
        moved = _moved(case, found)
        if moved is None or _used_later(case, found):
            return None
        edits, texts = [moved], [*texts, case.text(found.loss)]
    elif _used_later(case, found):
        if len(found.stale) != 1:
            return None
        old = found.names[0]
        new = free_name(case, f"new_{old}", f"{old}_again", f"{old}_after_step")
        texts = [f"{new}{texts[0].removeprefix(old)}"]
        uses = [one for one in ast.walk(found.loss) if isinstance(one, ast.Name) and one.id == old]
        edits = [edit for one in uses for edit in case.replace(one, new)]
    span = case.program.span_of(place)
    indent = case.line(span.line)[: span.column] if span is not None else ""
    added = case.line_before(place, f"\n{indent}".join(texts))
    shown = "; ".join(f"`{one}`" for one in texts), "；".join(f"`{one}`" for one in texts)
    return apply(case, [*edits, *added], *shown) if added and not any("\n" in one for one in texts) else None


def _is_cleared(case: Case, found: _Reuse) -> bool:
    """Whether what the pass before the step left in other gradients is cleared, or it left nothing there."""
    if any(_text(case, one) != case.text(one) for one in found.stale):
        return True  # detached
    between = found.body[found.body.index(found.step) + 1 : found.body.index(found.pass_)]
    owner = case.text(found.step).removesuffix("step()")
    clears = [
        call
        for each in between
        for call in ast.walk(each)
        if isinstance(call, ast.Call) and called(call) == "zero_grad"
    ]
    return any(case.text(one.func) != f"{owner}zero_grad" for one in clears)


def _moved(case: Case, found: _Reuse) -> Edit | None:
    """The line of a loss that stands before the step taken out, where nothing uses the loss before its pass."""
    span, name = case.program.span_of(found.loss), _target(found.loss) if isinstance(found.loss, ast.Assign) else ""
    between = found.body[found.body.index(found.loss) + 1 : found.body.index(found.pass_)]
    if span is None or not name or any(name in _read(one) for one in between):
        return None
    return whole_line(case, span) if case.line(span.line).strip() == case.text(found.loss) else None


def _stored(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def _used_later(case: Case, found: _Reuse) -> bool:
    """Whether what was computed before the step is read behind the loss, too."""
    names, behind = set(found.names), (found.loss.end_lineno or 0)
    scope = case.enclosing(found.loss, ast.FunctionDef) or case.program.tree
    return any(
        isinstance(one, ast.Name) and one.id in names and isinstance(one.ctx, ast.Load) and line(one) > behind
        for one in ast.walk(scope)
    )
