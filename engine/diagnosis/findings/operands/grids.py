"""Grids of places to sample an image at: coordinates that do not stand last, and one grid for several images."""

from __future__ import annotations

import ast
import re
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case, called
from gradflow.engine.diagnosis.finding import Finding
from gradflow.engine.diagnosis.findings.general.sources import definition, shape_at
from gradflow.engine.diagnosis.findings.layers import written
from gradflow.engine.diagnosis.findings.words import code, finding, line, on_other_line, text_with, write
from gradflow.engine.diagnosis.fixers import finds
from gradflow.engine.diagnosis.flow import Flow
from gradflow.engine.sandbox.positions import argument_of

_ORDERS: Final = {4: "0, 2, 3, 1", 5: "0, 2, 3, 4, 1"}
_SHAPES: Final = {4: "(N, H, W, 2)", 5: "(N, D, H, W, 3)"}
_PASSING: Final = frozenset({"unsqueeze", "expand", "repeat", "to", "float", "double", "clone", "contiguous", "clamp", "detach"})  # fmt: skip


def _sampled(case: Case) -> tuple[ast.Call, ast.expr, ast.expr] | None:
    """The call of ``grid_sample``, the image and the grid."""
    call = case.find(ast.Call)
    if call is None or called(call) != "grid_sample":
        return None
    image, grid = argument_of(call, 0, "input"), argument_of(call, 1, "grid")
    return None if image is None or grid is None else (call, image, grid)


@finds(errors.GRID_LAST)
def _coordinates_elsewhere(case: Case) -> Finding | None:
    """``torch.stack([gx, gy], dim=1)``: the coordinates where an image has its channels."""
    found = _sampled(case)
    if found is None:
        return None
    call, image, grid = found
    shape, wanted = shape_at(case, grid), case.details.get("wanted")
    pixels = shape_at(case, image)
    if shape is None or pixels is None or len(shape) not in _ORDERS or len(pixels) != len(shape) or shape[1] != wanted:
        return None
    needs, needs_zh = (
        f"`grid_sample` needs the {wanted} coordinates of a place last, {_SHAPES[len(shape)]}",
        f"`grid_sample` 要求每个位置的 {wanted} 个坐标在最后一维，即 {_SHAPES[len(shape)]}",
    )
    stacked = _stacked(case, grid, int(str(wanted)))
    if stacked is not None:
        dim = argument_of(stacked, 1, "dim")
        number = written(dim) if dim is not None else 0
        how, how_zh = (
            (f"on `dim={number}`", f"沿 `dim={number}` ") if dim is not None else ("in front", "在最前面的一维")
        )
        edits = case.replace(dim, "-1") if dim is not None else case.argument(stacked, "dim=-1")
        return finding(
            case,
            f"{needs}, and {code(case, stacked)} on line {line(stacked)} stacks them {how}, so that the grid has the shape {list(shape)}. Stack them on the"
            f" last dimension: `dim=-1`.",
            f"{needs_zh}，而第 {line(stacked)} 行的 {code(case, stacked)} {how_zh}堆叠它们，网格的形状成了 {list(shape)}。请在最后一维堆叠：`dim=-1`。",
            case.fix(edits, stacked),
            stacked,
        )
    text = f".permute({_ORDERS[len(shape)]})"
    made = definition(case, grid)
    where, where_zh = on_other_line(made, call)
    return finding(
        case,
        f"{needs}, and {code(case, grid)}{where} has them in dimension 1, as an image its channels: its shape is {list(shape)}. Move them to the end:"
        f" `{text}`.",
        f"{needs_zh}，而 {code(case, grid)}{where_zh} 把它们放在第 1 维（图片的通道所在之处）：形状是 {list(shape)}。请把它们移到最后：`{text}`。",
        case.fix(case.followed(grid, text), call),
        made,
    )


def _stacked(case: Case, grid: ast.expr, wanted: int) -> ast.Call | None:
    """The call that puts the coordinates of a grid beside each other, where nothing turns what it gives."""
    flow = Flow(case)
    node: ast.expr | None = grid
    for _ in range(12):
        node = definition(case, node) if node is not None else None
        match node:
            case ast.Call() if called(node) == "stack":
                held = argument_of(node, 0, "tensors")
                parts = held.elts if isinstance(held, ast.List | ast.Tuple) else []
                number = written(argument_of(node, 1, "dim")) or 0
                return node if len(parts) == wanted and number != -1 else None
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in _PASSING:
                node = inner
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call() if len(made := flow.called(node)) == 1 and isinstance(made[0], ast.FunctionDef):
                results = [one.value for one in ast.walk(made[0]) if isinstance(one, ast.Return)]
                node = results[0] if len(results) == 1 else None
            case _:
                return None
    return None


@finds(errors.GRID_BATCH, errors.GRID_DIMENSIONS)
def _one_grid(case: Case) -> Finding | None:
    """One grid for a batch of images."""
    found = _sampled(case)
    if found is None:
        return None
    call, image, grid = found
    pixels, shape = shape_at(case, image), shape_at(case, grid)
    if pixels is None or shape is None or len(pixels) not in _ORDERS or shape[-1] != len(pixels) - 2:
        return None
    missing = len(pixels) - len(shape)
    if missing not in (0, 1) or (missing == 0 and shape[0] != 1):
        return None
    rest = ", ".join(["-1"] * (len(pixels) - 1))
    size = f"{case.operand(image)}.size(0)" if isinstance(image, ast.Name | ast.Attribute) else str(pixels[0])
    new = ".unsqueeze(0)" if missing and pixels[0] == 1 else f".expand({size}, {rest})"
    made = definition(case, grid)
    where, where_zh = on_other_line(made, call)
    lacks = "has no dimension for the batch" if missing else "is for one image"
    lacks_zh = "没有批量维" if missing else "只有一个图像的网格"
    return finding(
        case,
        f"{code(case, image)} is a batch of {pixels[0]} ({list(pixels)}), and the grid {code(case, grid)}{where}, of shape {list(shape)}, {lacks}:"
        f" `grid_sample` needs one for each image. Use it for all of them: `{new}`.",
        f"{code(case, image)} 是 {pixels[0]} 个图像的批次（{list(pixels)}），而网格 {code(case, grid)}{where_zh} 的形状是 {list(shape)}，{lacks_zh}：`grid_sample` 要求每个图像各有"
        f"一个网格。请让它们共用这个网格：`{new}`。",
        case.fix(case.followed(grid, new), call),
        grid,
    )


@finds(errors.GRID_LAST, errors.GRID_DIMENSIONS, errors.GRID_BATCH)
def _image_without_batch(case: Case) -> Finding | None:
    """A single image without a batch around it."""
    found = _sampled(case)
    if found is None:
        return None
    call, image, grid = found
    pixels, shape = shape_at(case, image), shape_at(case, grid)
    if pixels is None or shape is None or len(pixels) not in (2, 3) or len(shape) != 4 or shape[-1] != 2:
        return None
    new = "[None, None]" if len(pixels) == 2 else ".unsqueeze(0)"
    back = ".squeeze()" if len(pixels) == 2 else ".squeeze(0)"
    names, names_zh = ("batch and channels", "批量维和通道维") if len(pixels) == 2 else ("a batch", "批量维")
    return finding(
        case,
        f"{code(case, image)} has the shape {list(pixels)}, without {names}, and `grid_sample` takes images of (N, C, H, W) with a grid of (N, H, W, 2). Add"
        f" what is missing: `{new}`; the result then has it too (`{back}` takes it away).",
        f"{code(case, image)} 的形状是 {list(pixels)}，没有{names_zh}，而 `grid_sample` 要求图像是 (N, C, H, W)、网格是 (N, H, W, 2)。请补上缺少的维：`{new}`；结果也会带有它"
        f"（`{back}` 可以去掉）。",
        case.fix(case.followed(image, new), call),
        image,
    )


@finds(errors.AFFINE_GRID_THETA)
def _one_matrix(case: Case) -> Finding | None:
    """``affine_grid`` of one matrix without a batch, or of matrices with the row that is always (0, 0, 1)."""
    call = case.find(ast.Call)
    theta = argument_of(call, 0, "theta") if call is not None else None
    shape = shape_at(case, theta) if theta is not None else None
    if call is None or theta is None or shape is None or shape[-2:] not in ((2, 3), (3, 3)):
        return None
    wanted = re.findall(r"\d+", str(case.details.get("size", "")))
    batch = int(wanted[0]) if len(wanted) == 4 else None
    if batch is None:
        return None
    rows = "" if shape[-2] == 2 else "[:, :2]" if len(shape) == 3 else "[:2]"
    new = rows if len(shape) == 3 else f"{rows}.unsqueeze(0)" if batch == 1 else f"{rows}.expand({batch}, 2, 3)"
    lacks = [] if not rows else ["has a third row"]
    lacks_zh = [] if not rows else ["多了第三行"]
    if len(shape) == 2:
        lacks, lacks_zh = [*lacks, "has no dimension for the batch"], [*lacks_zh, "没有批量维"]
    if not lacks:
        return None
    return finding(
        case,
        f"{code(case, theta)} has the shape {list(shape)} and {' and '.join(lacks)}: `affine_grid` takes one 2×3 matrix for each of the {batch} images,"
        f" [{batch}, 2, 3]. Write `{text_with(case, call, theta, case.text(theta) + new)}`.",
        f"{code(case, theta)} 的形状是 {list(shape)}，{'、'.join(lacks_zh)}：`affine_grid` 要求 {batch} 个图像各有一个 2×3 矩阵，即 [{batch}, 2, 3]。请写"
        f" `{text_with(case, call, theta, case.text(theta) + new)}`。",
        case.fix(case.followed(theta, new), call)
        if isinstance(theta, ast.Name)
        else write(case, theta, f"({case.text(theta)}){new}", call),
        theta,
    )
