"""What modules are that programs ask for and that are not here, and what to write instead."""

from __future__ import annotations

from typing import Final

_NETWORK: Final = ("reaches the network, which a run here does not have", "要访问网络，而这里的程序没有网络")
_PROCESSES: Final = (
    "starts threads or processes, and a run here has only one",
    "会启动线程或进程，而这里的程序只有一个",
)
_FILES: Final = ("works on files, and a run here has none", "操作文件，而这里的程序没有文件")
_NUMPY: Final = ("NumPy's functions and `torch` compute the same", "NumPy 和 `torch` 可以完成同样的计算")
_RANDOM: Final = (
    "random data of the same shape, `torch.randn(100, 4)`",
    "同样形状的随机数据，例如 `torch.randn(100, 4)`",
)
_MODULES: Final = ("the model written with `torch.nn`", "用 `torch.nn` 写出模型")
_LISTS: Final = (
    "lists, dictionaries or `torch.tensor` of the numbers themselves",
    "列表、字典，或把数字直接写进 `torch.tensor`",
)
_PRINT: Final = ("`print`, and the picture of the run", "用 `print`，以及页面上的运行图")
_STRAIGHT: Final = ("the calls one after the other", "依次直接调用")
_TEXT: Final = ("the data written into the program", "把数据写进程序")

KNOWN: Final[dict[str, tuple[tuple[str, str], tuple[str, str]]]] = {
    "pandas": (("holds tables", "用来处理表格"), _LISTS),
    "scipy": (("is a library of numerical mathematics", "是数值计算库"), _NUMPY),
    "sklearn": (("is a library of machine learning and of small data sets", "是机器学习与小型数据集的库"), _RANDOM),
    "tensorflow": (("is another library of deep learning", "是另一个深度学习库"), _MODULES),
    "keras": (("is another library of deep learning", "是另一个深度学习库"), _MODULES),
    "jax": (
        ("is another library of automatic differentiation", "是另一个自动微分库"),
        ("`torch.func`", "`torch.func`"),
    ),
    "transformers": (("loads models that were trained elsewhere", "用来加载别处训练好的模型"), _MODULES),
    "lightning": (
        ("is a trainer around PyTorch", "是 PyTorch 的训练框架"),
        ("the training loop itself", "直接写训练循环"),
    ),
    "pytorch_lightning": (
        ("is a trainer around PyTorch", "是 PyTorch 的训练框架"),
        ("the training loop itself", "直接写训练循环"),
    ),
    "wandb": (("reports to a service on the network", "把结果上报到网络服务"), _PRINT),
    "cv2": (
        ("reads and edits images", "用来读取和处理图像"),
        ("`torch.rand(3, 32, 32)` for an image", "用 `torch.rand(3, 32, 32)` 代替图像"),
    ),
    "requests": (_NETWORK, _TEXT),
    "urllib": (_NETWORK, _TEXT),
    "socket": (_NETWORK, _TEXT),
    "subprocess": (_PROCESSES, _STRAIGHT),
    "threading": (_PROCESSES, _STRAIGHT),
    "multiprocessing": (_PROCESSES, _STRAIGHT),
    "concurrent": (_PROCESSES, _STRAIGHT),
    "asyncio": (("runs functions in turns that wait for each other", "用来让函数交替等待运行"), _STRAIGHT),
    "zipfile": (_FILES, _TEXT),
}


def details_of_module(name: str) -> dict[str, str]:
    """What the explanation of a missing module can say of it: nothing of one that is not known."""
    known = KNOWN.get(name.split(".")[0])
    if known is None:
        return {}
    (what, what_zh), (instead, instead_zh) = known
    return {"what": what, "what_zh": what_zh, "instead": instead, "instead_zh": instead_zh}
