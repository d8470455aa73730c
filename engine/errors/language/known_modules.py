"""What modules are that programs ask for and that are not here, and what to write instead."""

from __future__ import annotations

from typing import Final

_NETWORK: Final = ("reaches the network, which a run here does not have", "要访问网络，而这里的程序没有网络")
_PROCESSES: Final = (
    "starts threads or processes, and a run here has only one",
    "会启动线程或进程，而这里的程序只有一个",
)
_NUMPY: Final = ("NumPy's functions and `torch` compute the same", "NumPy 和 `torch` 可以完成同样的计算")
_RANDOM: Final = (
    "random data of the same shape, `torch.randn(100, 4)`",
    "同样形状的随机数据，例如 `torch.randn(100, 4)`",
)
_MODULES: Final = ("the model with `torch.nn`", "用 `torch.nn` 写出模型")
_LISTS: Final = (
    "lists, dictionaries or `torch.tensor` of the numbers themselves",
    "列表、字典，或把数字直接写进 `torch.tensor`",
)
_PRINT: Final = ("`print`, and the picture of the run", "用 `print`，以及页面上的运行图")
_STRAIGHT: Final = ("the calls one after the other", "依次直接调用")
_LOOP: Final = ("the training loop itself", "直接写训练循环")
_PLAIN: Final = ("the function itself, with `torch` or NumPy", "直接用 `torch` 或 NumPy 写出函数")
_ENVIRONMENT: Final = (
    "a small class with `reset` and `step` that you write yourself",
    "自己写一个带 `reset` 和 `step` 的小类",
)
_SPLIT: Final = ("`text.lower().split()` and a dictionary of words", "`text.lower().split()` 与一个单词字典")
_TEXT: Final = ("the data written into the program", "把数据写进程序")
_FILES_ELSEWHERE: Final = ("keeps data in files of the machine", "把数据存在机器的文件里")
_MEASURING: Final = (
    ("measures the machine", "测量机器"),
    ("`time.perf_counter()` around the calls", "在调用前后用 `time.perf_counter()`"),
)
_COUNTING: Final = (
    ("counts a model's parameters and operations", "统计模型的参数和运算"),
    (
        "`print(model)` and `sum(p.numel() for p in model.parameters())`",
        "`print(model)` 与 `sum(p.numel() for p in model.parameters())`",
    ),
)
_CHECKING: Final = (
    ("checks the types of arguments", "检查参数的类型"),
    ("the function without the decorator", "去掉装饰器，只留函数"),
)
_SEARCHING: Final = (
    ("tries settings one after the other", "逐一尝试设置"),
    ("a loop over the settings", "对设置写循环"),
)
_ATTRIBUTES: Final = (
    ("reads dictionaries by attributes", "用属性读取字典"),
    ("`types.SimpleNamespace`", "`types.SimpleNamespace`"),
)

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
        _LOOP,
    ),
    "pytorch_lightning": (
        ("is a trainer around PyTorch", "是 PyTorch 的训练框架"),
        _LOOP,
    ),
    "cv2": (
        ("reads and edits images", "用来读取和处理图像"),
        ("`torch.rand(3, 32, 32)` for an image", "用 `torch.rand(3, 32, 32)` 代替图像"),
    ),
    "torchmetrics": (
        ("measures how good predictions are", "用来衡量预测的好坏"),
        ("`(pred.argmax(1) == target).float().mean()`", "`(pred.argmax(1) == target).float().mean()`"),
    ),
    "torch_geometric": (
        ("has layers for graphs", "提供图神经网络的层"),
        ("`adjacency @ x @ weight` with a dense matrix", "用稠密矩阵写 `adjacency @ x @ weight`"),
    ),
    "timm": (("has image models that were trained elsewhere", "提供别处训练好的图像模型"), _MODULES),
    "accelerate": (("moves a training loop to other devices", "把训练循环搬到其他设备"), _LOOP),
    "ignite": (("is a trainer around PyTorch", "是 PyTorch 的训练框架"), _LOOP),
    "fastai": (("is a trainer around PyTorch", "是 PyTorch 的训练框架"), _LOOP),
    "gym": (("has environments for reinforcement learning", "提供强化学习的环境"), _ENVIRONMENT),
    "gymnasium": (("has environments for reinforcement learning", "提供强化学习的环境"), _ENVIRONMENT),
    "numba": (("compiles functions", "用来编译函数"), _PLAIN),
    "triton": (("compiles kernels for graphics cards", "为显卡编译内核"), _PLAIN),
    "cupy": (("is NumPy for graphics cards", "是显卡上的 NumPy"), ("`numpy`", "`numpy`")),
    "sympy": (
        ("calculates with symbols", "进行符号计算"),
        ("`torch.autograd.grad` for derivatives", "用 `torch.autograd.grad` 求导"),
    ),
    "networkx": (("holds graphs", "用来处理图"), _LISTS),
    "yaml": (("reads settings from texts", "从文本读取设置"), ("a dictionary, or `json`", "字典或 `json`")),
    "omegaconf": (("reads settings from files", "从文件读取设置"), ("a dictionary or `argparse`", "字典或 `argparse`")),
    "hydra": (("reads settings from files", "从文件读取设置"), ("a dictionary or `argparse`", "字典或 `argparse`")),
    "rich": (("prints in colours", "用来彩色打印"), ("`print`", "`print`")),
    "tabulate": (("prints tables", "用来打印表格"), ("`print` with an f-string", "用带 f-string 的 `print`")),
    "click": (("reads arguments of a command", "读取命令行参数"), ("`argparse`", "`argparse`")),
    "fire": (("reads arguments of a command", "读取命令行参数"), ("`argparse`", "`argparse`")),
    "librosa": (("reads sound", "用来读取声音"), _RANDOM),
    "soundfile": (("reads sound", "用来读取声音"), _RANDOM),
    "imageio": (("reads images", "用来读取图像"), _RANDOM),
    "skimage": (("edits images", "用来处理图像"), _RANDOM),
    "nltk": (("works on texts, with data from the network", "处理文本，需要网络上的数据"), _SPLIT),
    "spacy": (("works on texts, with models from the network", "处理文本，需要网络上的模型"), _SPLIT),
    "sentencepiece": (("cuts texts into pieces", "把文本切成片段"), _SPLIT),
    "tiktoken": (("cuts texts into pieces", "把文本切成片段"), _SPLIT),
    "tokenizers": (("cuts texts into pieces", "把文本切成片段"), _SPLIT),
    "requests": (_NETWORK, _TEXT),
    "urllib": (_NETWORK, _TEXT),
    "socket": (_NETWORK, _TEXT),
    "subprocess": (_PROCESSES, _STRAIGHT),
    "threading": (_PROCESSES, _STRAIGHT),
    "multiprocessing": (_PROCESSES, _STRAIGHT),
    "concurrent": (_PROCESSES, _STRAIGHT),
    "asyncio": (("runs functions in turns that wait for each other", "用来让函数交替等待运行"), _STRAIGHT),
    "array": (("holds numbers in a row", "存放一列数"), ("a list, or `np.array`", "列表或 `np.array`")),
    "optparse": (("reads arguments of a command", "读取命令行参数"), ("`argparse`", "`argparse`")),
    "cProfile": _MEASURING,
    "profile": _MEASURING,
    "pstats": _MEASURING,
    "tracemalloc": _MEASURING,
    "resource": _MEASURING,
    "psutil": _MEASURING,
    "GPUtil": _MEASURING,
    "pdb": (("stops a program to look at it", "让程序停下来查看"), _PRINT),
    "atexit": (
        ("calls functions at the end", "在结束时调用函数"),
        ("the calls at the end of the program", "把调用写在程序末尾"),
    ),
    "shelve": (_FILES_ELSEWHERE, ("`pickle`, within the run", "在同一次运行内用 `pickle`")),
    "sqlite3": (_FILES_ELSEWHERE, _LISTS),
    "h5py": (_FILES_ELSEWHERE, ("`torch.save`, within the run", "在同一次运行内用 `torch.save`")),
    "safetensors": (_FILES_ELSEWHERE, ("`torch.save`, within the run", "在同一次运行内用 `torch.save`")),
    "bz2": (("packs bytes", "压缩字节"), ("`gzip` or `zlib`", "`gzip` 或 `zlib`")),
    "lzma": (("packs bytes", "压缩字节"), ("`gzip` or `zlib`", "`gzip` 或 `zlib`")),
    "ctypes": (("calls compiled code", "调用编译后的代码"), _PLAIN),
    "torchinfo": _COUNTING,
    "torchsummary": _COUNTING,
    "thop": _COUNTING,
    "ptflops": _COUNTING,
    "fvcore": _COUNTING,
    "jaxtyping": (
        ("names shapes in annotations", "在标注中写出形状"),
        ("`torch.Tensor` as the annotation", "用 `torch.Tensor` 作标注"),
    ),
    "beartype": _CHECKING,
    "typeguard": _CHECKING,
    "optuna": _SEARCHING,
    "ray": _SEARCHING,
    "deepspeed": (("trains on many machines", "在多台机器上训练"), _LOOP),
    "apex": (("trains with fewer bits", "用更少的位数训练"), ("`torch.autocast`", "`torch.autocast`")),
    "xformers": (
        ("has kernels for attention", "提供注意力的内核"),
        ("`torch.nn.functional.scaled_dot_product_attention`", "`torch.nn.functional.scaled_dot_product_attention`"),
    ),
    "torch_scatter": (
        ("adds elements up by an index", "按索引累加元素"),
        ("`x.index_add(0, index, source)` or `scatter_reduce`", "`x.index_add(0, index, source)` 或 `scatter_reduce`"),
    ),
    "torch_sparse": (("has sparse matrices", "提供稀疏矩阵"), ("`torch.sparse`", "`torch.sparse`")),
    "torchdiffeq": (
        ("solves differential equations", "求解微分方程"),
        ("a loop with `x = x + dt * f(t, x)`", "写循环 `x = x + dt * f(t, x)`"),
    ),
    "pyro": (
        ("is a library of probabilistic programs", "是概率编程库"),
        ("`torch.distributions`", "`torch.distributions`"),
    ),
    "gpytorch": (
        ("has Gaussian processes", "提供高斯过程"),
        ("`torch.linalg.cholesky` of the kernel", "对核矩阵用 `torch.linalg.cholesky`"),
    ),
    "diffusers": (("loads models that were trained elsewhere", "用来加载别处训练好的模型"), _MODULES),
    "peft": (("fits models that were trained elsewhere", "用来微调别处训练好的模型"), _MODULES),
    "huggingface_hub": (_NETWORK, _MODULES),
    "colorama": (("prints in colours", "用来彩色打印"), ("`print`", "`print`")),
    "termcolor": (("prints in colours", "用来彩色打印"), ("`print`", "`print`")),
    "loguru": (("writes a log", "用来写日志"), ("`logging`, or `print`", "`logging` 或 `print`")),
    "easydict": _ATTRIBUTES,
    "addict": _ATTRIBUTES,
    "ml_collections": _ATTRIBUTES,
    "pydantic": (("makes classes of settings", "用来写设置类"), ("`dataclasses`", "`dataclasses`")),
    "attr": (("makes classes of fields", "用来写字段类"), ("`dataclasses`", "`dataclasses`")),
    "attrs": (("makes classes of fields", "用来写字段类"), ("`dataclasses`", "`dataclasses`")),
    "dill": (("keeps objects as bytes", "把对象存成字节"), ("`pickle`, within the run", "在同一次运行内用 `pickle`")),
    "cloudpickle": (
        ("keeps objects as bytes", "把对象存成字节"),
        ("`pickle`, within the run", "在同一次运行内用 `pickle`"),
    ),
    "regex": (("searches in texts", "在文本中查找"), ("`re`", "`re`")),
    "absl": (("reads arguments of a command", "读取命令行参数"), ("`argparse`", "`argparse`")),
    "d2l": (
        ("has the helpers of a book", "是一本书的辅助函数"),
        ("the helpers written into the program", "把辅助函数写进程序"),
    ),
    "tensorboard": (("shows curves of training", "用来显示训练曲线"), _PRINT),
}


def details_of_module(name: str) -> dict[str, str]:
    """What the explanation of a missing module can say of it: nothing of one that is not known."""
    known = KNOWN.get(name.split(".")[0])
    if known is None:
        return {}
    (what, what_zh), (instead, instead_zh) = known
    return {"what": what, "what_zh": what_zh, "instead": instead, "instead_zh": instead_zh}
