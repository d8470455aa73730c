"""Errors about devices: every tensor lives on the CPU here."""

from __future__ import annotations

from gradflow.engine.errors.error_kind import ErrorKind

NO_CUDA = ErrorKind(
    "no-cuda",
    AssertionError,
    "Torch not compiled with CUDA enabled",
    """There is no graphics card here; every tensor lives on the CPU.
    Leave out `.cuda()` and `device="cuda"`: the gradients are the same.""",
    """这里没有显卡，所有张量都在 CPU 上。
    请去掉 `.cuda()` 和 `device="cuda"`，梯度是一样的。""",
)


INVALID_DEVICE = ErrorKind(
    "invalid-device",
    RuntimeError,
    "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, maia, xla, lazy, vulkan, mps,"
    " meta, hpu, mtia, privateuseone device type at start of device string: {device}",
    """`{device}` is not a kind of device.
    Every tensor lives on the CPU here, so leave the device out.""",
    """`{device}` 不是一种设备。
    这里所有张量都在 CPU 上，请去掉设备。""",
)


NO_ACCELERATOR = ErrorKind(
    "no-accelerator",
    RuntimeError,
    "Cannot access accelerator device when none is available.",
    """A number names a graphics card, and there is none here.
    Write `"cpu"`, or leave the device out.""",
    """数字表示显卡的编号，而这里没有显卡。
    请写 `"cpu"`，或去掉设备。""",
)


DEVICE_STRING = ErrorKind(
    "device-string",
    RuntimeError,
    "Invalid device string: '{device}'",
    """A device is written as its kind, or as its kind, a colon and a number: `cpu`, `cuda:1`.
    Every tensor lives on the CPU here, so leave the device out.""",
    """设备写成种类，或种类加冒号和编号：`cpu`、`cuda:1`。
    这里所有张量都在 CPU 上，请去掉设备。""",
)


NEGATIVE_DEVICE = ErrorKind(
    "negative-device",
    RuntimeError,
    "Device index must not be negative",
    """Devices of a kind are counted from 0.
    Every tensor lives on the CPU here, so leave the number out.""",
    """同一种设备从 0 开始编号。
    这里所有张量都在 CPU 上，请去掉编号。""",
)


DEVICE_NOT_LINKED = ErrorKind(
    "device-not-linked",
    RuntimeError,
    "PyTorch is not linked with support for {device} devices",
    """There is no such device here; every tensor lives on the CPU.
    Leave the device out: the gradients are the same.""",
    """这里没有这种设备，所有张量都在 CPU 上。
    请去掉设备，梯度是一样的。""",
)


DEVICE_ARGUMENTS = ErrorKind(
    "device-arguments",
    TypeError,
    "device() received an invalid combination of arguments - got ({given}), but expected one of:\n"
    " * (torch.device device)\n{mark} * (str type, int index = -1)\n",
    """`torch.device` takes the name of a device.
    Write `torch.device("cpu")`.""",
    """`torch.device` 需要设备的名字。
    请写 `torch.device("cpu")`。""",
)


CUDA_TYPE = ErrorKind(
    "cuda-type",
    TypeError,
    "type torch.cuda.{name} not available. Torch not compiled with CUDA enabled.",
    """There is no graphics card here, and so no tensors of `torch.cuda.{name}`.
    Write `torch.{name}`: the gradients are the same.""",
    """这里没有显卡，也就没有 `torch.cuda.{name}` 的张量。
    请写 `torch.{name}`，梯度是一样的。""",
)


INVALID_CARD = ErrorKind(
    "invalid-card",
    RuntimeError,
    "Invalid device, must be cuda device",
    """`.cuda()` takes the number of a graphics card.
    Every tensor lives on the CPU here, so leave `.cuda()` out.""",
    """`.cuda()` 接受显卡的编号。
    这里所有张量都在 CPU 上，请去掉 `.cuda()`。""",
)

META_REFUSED = ErrorKind(
    "meta-refused",
    NotImplementedError,
    "{name} of a meta tensor is not available in Gradflow",
    """A tensor on the device `meta` has a shape and no elements; {name} is not provided for it.
    Shapes, dtypes and the number of elements are there, and functions of `torch` give the shape of their result.
    Write `device='cpu'`, where shapes are the same.""",
    """设备 `meta` 上的张量只有形状，没有元素；没有为它提供 {name}。
    形状、类型与元素个数都有，`torch` 的函数会给出结果的形状。
    请写 `device='cpu'`，形状相同。""",
)
META_NO_DATA = ErrorKind(
    "meta-no-data",
    NotImplementedError,
    "Cannot copy out of meta tensor; no data!{advice}",
    """A tensor on the device `meta` has a shape and no elements, so there is nothing to copy.
    For a module, write `.to_empty(device='cpu')` and set its parameters.""",
    """设备 `meta` 上的张量只有形状，没有元素，所以没有什么可复制。
    对模块请写 `.to_empty(device='cpu')`，再设定参数。""",
)
META_NUMPY = ErrorKind(
    "meta-numpy",
    TypeError,
    "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.",
    """A tensor on the device `meta` has a shape and no elements.
    Make it with `device='cpu'`.""",
    """设备 `meta` 上的张量只有形状，没有元素。
    请用 `device='cpu'` 创建。""",
)
META_ITEM = ErrorKind(
    "meta-item",
    RuntimeError,
    "Tensor.item() cannot be called on meta tensors",
    """A tensor on the device `meta` has a shape and no elements.
    Make it with `device='cpu'`.""",
    """设备 `meta` 上的张量只有形状，没有元素。
    请用 `device='cpu'` 创建。""",
)
META_DEVICE = ErrorKind(
    "meta-device",
    RuntimeError,
    "Tensor on device cpu is not on the expected device meta!",
    """One operand has elements and the other, on the device `meta`, has none.
    Make both with `device='cpu'`.""",
    """一个操作数有元素，另一个在设备 `meta` 上，没有元素。
    请都用 `device='cpu'` 创建。""",
)


NO_CARD_TO_USE = ErrorKind(
    "no-card-to-use",
    RuntimeError,
    "PyTorch was compiled without CUDA support",
    """A number names a graphics card, and there is none here to change to.
    Leave the block out, or write -1: what stands in it runs on the CPU.""",
    """数字表示显卡的编号，而这里没有可以切换过去的显卡。
    请去掉这个 with 块，或写成 -1：块里的代码在 CPU 上运行。""",
)


NOT_A_CARD = ErrorKind(
    "not-a-card",
    ValueError,
    "Expected a cuda device, but got: {device}",
    """Only a graphics card can be chosen this way, and `{device}` is none.
    Every tensor lives on the CPU here, so leave this out.""",
    """这样只能选择显卡，而 `{device}` 不是显卡。
    这里所有张量都在 CPU 上，请去掉这一步。""",
)
