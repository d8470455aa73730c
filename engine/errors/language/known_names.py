"""What the parts of PyTorch are that are not here, and what to write instead, by words in their names."""

from __future__ import annotations

import re
from typing import Final

_ITSELF: Final = ("the program itself: every operation is run as it is written", "程序本身：每个操作都按所写的那样运行")
_CPU: Final = ("`device = 'cpu'`", "`device = 'cpu'`")

_KNOWN: Final[tuple[tuple[str, tuple[str, str], tuple[str, str]], ...]] = (
    (
        r"sparse|coalesce",
        (
            "belongs to sparse tensors, of which those in coordinates are here (`torch.sparse_coo_tensor`, `.to_sparse()`)",
            "属于稀疏张量，这里只有坐标形式的（`torch.sparse_coo_tensor`、`.to_sparse()`）",
        ),
        (
            "`.to_sparse()` and `torch.sparse.mm`, or a dense tensor by `.to_dense()`",
            "`.to_sparse()` 与 `torch.sparse.mm`，或用 `.to_dense()` 变为稠密张量",
        ),
    ),
    (
        r"quant|torch\.ao\b|q_scale|int_repr",
        ("works with numbers rounded to a few bits", "处理舍入到少数几位的数"),
        (
            "`torch.fake_quantize_per_tensor_affine`, or `torch.round(x / scale) * scale`, on ordinary tensors",
            "对普通张量用 `torch.fake_quantize_per_tensor_affine`，或 `torch.round(x / scale) * scale`",
        ),
    ),
    (
        r"\bmeta\b",
        ("names a device on which tensors have shapes and no values", "指一种张量只有形状、没有数值的设备"),
        (
            "`device='meta'` where a tensor or a layer is made, or `device='cpu'`, where shapes are the same",
            "在创建张量或层时写 `device='meta'`，或写 `device='cpu'`，形状相同",
        ),
    ),
    (
        r"flex_attention",
        ("computes attention with a function of every score", "用作用于每个分数的函数计算注意力"),
        (
            "`torch.nn.functional.scaled_dot_product_attention` with `attn_mask=`, to which what the function adds can be given",
            "`torch.nn.functional.scaled_dot_product_attention`，把函数所加的值作为 `attn_mask=` 传入",
        ),
    ),
    (
        r"nested",
        ("holds tensors of different lengths in one", "把不同长度的张量放在一起"),
        ("a list of tensors, or `torch.nn.utils.rnn.pad_sequence`", "张量的列表，或 `torch.nn.utils.rnn.pad_sequence`"),
    ),
    (
        r"distributed|multiprocessing|\brpc\b|share_memory",
        ("shares the work among processes or machines", "把工作分给多个进程或机器"),
        ("the model itself, in one process", "在一个进程里直接使用模型"),
    ),
    (
        r"tensorboard|profiler|memory_stats|nvtx|itt",
        ("measures or records a run for another program", "为另一个程序测量或记录运行过程"),
        ("`print`, and the picture of the run", "用 `print`，以及页面上的运行图"),
    ),
    (
        r"onnx|export|jit|\bfx\b|dynamo|inductor|package|mobile",
        ("translates a model for another way of running it", "把模型转换成另一种运行方式"),
        _ITSELF,
    ),
    (
        r"cuda|\bmps\b|\bxpu\b|\bhpu\b|mtia|accelerator|backends|cudnn|mkldnn|xla",
        ("belongs to another device than the CPU", "属于 CPU 以外的设备"),
        _CPU,
    ),
    (
        r"\bhub\b|model_zoo",
        ("loads models from the network", "从网络加载模型"),
        ("the model with `torch.nn`", "用 `torch.nn` 写出模型"),
    ),
    (r"cpp_extension|_C\b|library", ("reaches compiled code", "会触及编译后的代码"), _ITSELF),
    (
        r"dlpack|from_file|frombuffer|data_ptr|untyped_storage",
        ("shares memory with another library", "与另一个库共享内存"),
        ("`torch.from_numpy` or `torch.tensor`", "`torch.from_numpy` 或 `torch.tensor`"),
    ),
    (
        r"__torch_dispatch__|overrides|_python_dispatch",
        ("puts the program's own code in the place of PyTorch's functions", "用程序自己的代码取代 PyTorch 的函数"),
        (
            "a class that holds a tensor, or `register_hook` and `register_forward_hook` to look on",
            "一个持有张量的类；若只是观察，用 `register_hook` 与 `register_forward_hook`",
        ),
    ),
)


def details_of_name(name: str) -> dict[str, str]:
    """What the explanation of a missing part of PyTorch can say of it: nothing of one that is not known."""
    for pattern, (what, what_zh), (instead, instead_zh) in _KNOWN:
        if re.search(pattern, name):
            return {"what": what, "what_zh": what_zh, "instead": instead, "instead_zh": instead_zh}
    return {}


_ATTRIBUTES: Final = {
    ("numpy.ndarray", "resize"): (
        "`a = a.reshape(shape)` where it is only another shape, or `np.pad(a, (0, n))` for more zeros",
        "`a = a.reshape(shape)`（只改变形状时），需要更多的零时用 `np.pad(a, (0, n))`",
    ),
}


def details_of_attribute(type: str, name: str) -> dict[str, str]:
    """What the explanation of a refused attribute can say besides: what to write instead."""
    found = _ATTRIBUTES.get((type, name))
    return {} if found is None else {"instead": found[0], "instead_zh": found[1]}
