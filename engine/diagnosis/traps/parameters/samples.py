"""Samples of a distribution that is learned, taken out of the graph: of what judges them the distribution learns nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from gradflow.engine.diagnosis.case import called
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.diagnosis.traps.edits import joined
from gradflow.engine.diagnosis.traps.proven.trails import forward_from
from gradflow.engine.diagnosis.traps.record import Record, Trap, is_call_of, producer
from gradflow.engine.recording.entries import NodeEntry, TensorEntry
from gradflow.engine.trace import Edit, Fix, Note, Text

SAMPLE_CUT: Final = Trap(
    "sample-without-graph",
    "`{text}` draws a sample from `{source}`, and {how} takes it out of the graph: what line {use} computes from the sample teaches nothing to the layers that"
    " made `{source}`; only the other part of the loss reaches these. The sample is written as mean plus noise so that the gradient can flow through it. {do}",
    "`{text}` 从 `{source}` 抽取样本，而 {how} 把它移出了计算图：第 {use} 行由样本算出的结果训练不到生成 `{source}` 的那些层，只有损失的其他项能到达它们。样本写成均值加噪声，"
    "正是为了让梯度通过它。{do}",
)
_NOISE: Final = frozenset({"randn", "randn_like", "normal"})
_CUTS: Final = "detach data"
_MOST: Final = 20


def samples_cut(run: Record) -> Iterator[Note]:
    """``mu.data + eps * std.data``, where a divergence still reaches `mu`."""
    if not any(word in run.program.source for word in ("detach", ".data", "no_grad")) or not run.steps:
        return
    for node in run.case.nodes(ast.BinOp):
        if isinstance(node.op, ast.Add) and _is_sample(run, node):
            yield from _told(run, node)


def _is_sample(run: Record, node: ast.BinOp) -> bool:
    """Whether a sum has the form of mean plus deviation times noise."""
    return any(
        isinstance(part, ast.BinOp)
        and isinstance(part.op, ast.Mult)
        and any(_is_noise(run, each) for each in (part.left, part.right))
        for part in (node.left, node.right)
    )


def _is_noise(run: Record, node: ast.expr) -> bool:
    made = [node, *Flow(run.case).assigned(node, node.id)] if isinstance(node, ast.Name) else [node]
    return any(isinstance(one, ast.Call) and called(one) in _NOISE for one in made)


def _told(run: Record, node: ast.BinOp) -> Iterator[Note]:
    for added in run.made_at(node)[-1:]:
        cuts, sources = _cuts(added)
        out = added.outputs[0]
        whole = [one for one in run.consumers.get(out.first, ()) if is_call_of(one, _CUTS) and out.requires_grad]
        if whole and not cuts:
            cuts, sources = whole, [one for one in added.inputs if one.requires_grad]
            out = whole[0].outputs[0]
        use = _use(run, sources, out) if sources else None
        if use is None or (not cuts and out.requires_grad):
            continue
        how, do, fix = _words(run, cuts)
        names = {"text": " ".join(run.case.text(node).split()), "source": run.name(sources[0]).strip("`")}
        yield SAMPLE_CUT.note(run.program.span_of(node), sources, fix, how=how, do=do, use=run.line(use.place), **names)


def _cuts(added: NodeEntry) -> tuple[list[NodeEntry], list[TensorEntry]]:
    """What takes the parts of a sum, and of the products in it, out of the graph; and what these parts were before, the mean first."""
    cuts: list[NodeEntry] = []
    sources: list[TensorEntry] = []
    products = [made for one in added.inputs if (made := producer(one)) is not None and is_call_of(made, "mul")]
    for entry in [*added.inputs, *(one for made in products for one in made.inputs)]:
        made = producer(entry)
        if made is not None and is_call_of(made, _CUTS) and made.inputs[0].requires_grad:
            cuts.append(made)
            sources.append(made.inputs[0])
        elif entry.requires_grad and not added.outputs[0].requires_grad:
            sources.append(entry)
    return cuts, sources


def _use(run: Record, sources: list[TensorEntry], sample: TensorEntry) -> NodeEntry | None:
    """What works on the sample with learned weights, in a pass that reaches the distribution by another way."""
    later = [
        one for one in forward_from(run, sample) if any(each.is_leaf and each.requires_grad for each in one.inputs)
    ]
    made = [each for one in sources for each in _made_of(one)]
    for one in run.passes:
        ran = {step.node for step in one.steps}
        if one.kind == "backward" and any(each in ran for each in made):
            use = next((each for each in later if each in ran), None)
            if use is not None:
                return use
    return None


def _made_of(source: TensorEntry) -> Iterator[NodeEntry]:
    """What made a parameter of the distribution, back to the layer that its numbers come out of: ``exp(0.5 * logvar)``."""
    waiting = [source]
    for current in waiting:
        node = producer(current)
        if node is not None:
            yield node
            if len(waiting) < _MOST and not any(each.is_leaf and each.requires_grad for each in node.inputs):
                waiting += [each for each in node.inputs if each.requires_grad]


def _words(run: Record, cuts: list[NodeEntry]) -> tuple[str, Text, Fix | None]:
    """What takes the sample out, what to do, and the fix."""
    if not cuts:
        return "`torch.no_grad()`", _OUTSIDE, None
    how = "`.detach()`" if is_call_of(cuts[0], "detach") else "`.data`"
    edits: list[Edit] = []
    for place in dict.fromkeys(one.place for one in cuts):
        cut = next(one for one in cuts if one.place == place)
        part = joined(run, cut)
        if part is None:
            return how, _leave(how), None
        edits += part.edits
    return how, _leave(how), run.fix(edits, f"Without {how}", f"去掉 {how}")


_OUTSIDE: Final = Text("Move this line out of that block.", "请把这一行移出那个代码块。")


def _leave(how: str) -> Text:
    return Text(f"Leave {how} out.", f"请去掉 {how}。")


TRAPS: Final = (samples_cut,)
