"""Data sets that would come from the network: random data of their shape in their place."""

from __future__ import annotations

import ast
from typing import Final

from gradflow.engine import errors
from gradflow.engine.diagnosis.case import Case
from gradflow.engine.diagnosis.fixers import fixes
from gradflow.engine.trace import Fix, Text

_EXAMPLES: Final = 64
_LARGE: Final = (3, 224, 224)
_SHAPES: Final[dict[str, tuple[tuple[int, int, int], int]]] = {
    **dict.fromkeys(("MNIST", "FashionMNIST", "KMNIST", "QMNIST"), ((1, 28, 28), 10)),
    "EMNIST": ((1, 28, 28), 47),
    "USPS": ((1, 16, 16), 10),
    "CIFAR10": ((3, 32, 32), 10),
    "CIFAR100": ((3, 32, 32), 100),
    "SVHN": ((3, 32, 32), 10),
    "STL10": ((3, 96, 96), 10),
    "FakeData": (_LARGE, 10),
    "ImageFolder": (_LARGE, 2),
    "ImageNet": (_LARGE, 1000),
    "Caltech101": (_LARGE, 101),
    "Flowers102": (_LARGE, 102),
    "Food101": (_LARGE, 101),
    "OxfordIIITPet": (_LARGE, 37),
}
"""The shape of an example of each data set of torchvision, and its number of classes."""
_SIZES: Final = frozenset({"Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop"})


@fixes(errors.DATA_ELSEWHERE)
def _random_data(case: Case) -> Fix | None:
    call = case.find(ast.Call)
    known = _SHAPES.get(str(case.details.get("name")).rpartition(".")[2])
    if call is None or known is None:
        return None
    shape, classes = known
    torch = case.module_alias("torch")
    edits = case.import_line("import torch") if torch is None else []
    made = _data(torch or "torch", _seen(case, shape), classes)
    named = case.text(call.func)
    for each in case.nodes(ast.Call):
        if case.text(each.func) == named:
            edits += case.replace(each, made)
    words = Text("Take random data of the same shape", "换成同样形状的随机数据")
    return case.fix(edits, words=words)


def _data(torch: str, shape: tuple[int, int, int], classes: int) -> str:
    examples = _EXAMPLES if max(shape) < 100 else _EXAMPLES // 8
    sizes = ", ".join(map(str, (examples, *shape)))
    images, labels = f"{torch}.rand({sizes})", f"{torch}.randint({classes}, ({examples},))"
    return f"{torch}.utils.data.TensorDataset({images}, {labels})"


def _seen(case: Case, shape: tuple[int, int, int]) -> tuple[int, int, int]:
    """The shape of an example after the transforms of the program that change it."""
    channels, height, width = shape
    for call in case.nodes(ast.Call):
        name = case.text(call.func).rpartition(".")[2]
        given = call.args[0] if call.args else None
        match given:
            case ast.Constant(value=int(size)) if name in _SIZES:
                height = width = size
            case ast.Tuple(elts=[ast.Constant(value=int(rows)), ast.Constant(value=int(columns))]) if name in _SIZES:
                height, width = rows, columns
        if name == "Grayscale":
            count = given or next((keyword.value for keyword in call.keywords), None)
            channels = 3 if isinstance(count, ast.Constant) and count.value == 3 else 1
    return channels, height, width
