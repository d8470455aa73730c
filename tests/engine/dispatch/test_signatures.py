# ruff: noqa: E501  # messages as PyTorch prints them
"""Calls that do not fit are refused in PyTorch's words; calls that do are brought into one form.

The messages are those of PyTorch 2.13; tests/oracle/test_calls.py compares many more with PyTorch itself.
"""

from __future__ import annotations

import pytest

from gradflow.engine.run import run

HEAD = "import torch\nx = torch.tensor([[1., 2.], [3., 4.]])\n"

REFUSED = {
    "torch.mm(x)": "mm() received an invalid combination of arguments - got (Tensor), but expected one of:\n * (Tensor input, Tensor mat2, *, Tensor out = None)\n * (Tensor input, Tensor mat2, torch.dtype out_dtype, *, Tensor out = None)\n",
    "x.mm()": 'mm() missing 1 required positional arguments: "mat2"',
    "x.mm(x, foo=1)": "mm() got an unexpected keyword argument 'foo'",
    "x.mm(x, x)": "mm() takes 1 positional argument but 2 were given",
    "x.mm(1)": "mm(): argument 'mat2' (position 1) must be Tensor, not int",
    "torch.tanh()": 'tanh() missing 1 required positional arguments: "input"',
    "x.tanh(1)": "TensorBase.tanh() takes no arguments (1 given)",
    "x.tanh(foo=1)": "TensorBase.tanh() takes no keyword arguments",
    "x.sum('a')": "sum() received an invalid combination of arguments - got (str), but expected one of:\n * (*, torch.dtype dtype = None)\n * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)\n",
    "x.sum(dim=1.0)": "sum() received an invalid combination of arguments - got (dim=float, ), but expected one of:\n * (*, torch.dtype dtype = None)\n * (tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None)\n",
    "torch.sum(x, foo=1)": "sum() received an invalid combination of arguments - got (Tensor, foo=int), but expected one of:\n * (Tensor input, *, torch.dtype dtype = None)\n * (Tensor input, tuple of ints dim, bool keepdim = False, *, torch.dtype dtype = None, Tensor out = None)\n",
    "x.sum(0, keepdim=3)": "sum(): argument 'keepdim' must be bool, not int",
    "x.sum(0, dim=1)": "sum() got multiple values for argument 'dim'",
    "x.view('a')": "view() received an invalid combination of arguments - got (str), but expected one of:\n * (torch.dtype dtype)\n      didn't match because some of the arguments have invalid types: (!str!)\n * (tuple of ints size)\n      didn't match because some of the arguments have invalid types: (!str!)\n",
    "x.view(1, 'a')": "view(): argument 'size' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got str\"",
    "x.transpose(0, 1.5)": "transpose(): argument 'dim1' (position 2) must be int, not float",
    "x.transpose(0)": 'transpose() missing 1 required positional arguments: "dim1"',
    "torch.cat(x)": "cat(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor",
    "torch.cat([x, 1])": "expected Tensor as element 1 in argument 0, but got int",
    "torch.add(x)": "add() received an invalid combination of arguments - got (Tensor), but expected (Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)",
    "x.add('a')": "add(): argument 'other' (position 1) must be Tensor, not str",
    "torch.add(x, x, alpha='a')": "add(): argument 'alpha' must be Number, not str",
    "x.add(1, 2, 3)": "add() received an invalid combination of arguments - got (!int!, !int!, !int!), but expected (Tensor other, *, Number alpha = 1)",
    "x.add(x, foo=1)": "add() got an unexpected keyword argument 'foo'",
    "x.max(1.5)": "max() received an invalid combination of arguments - got (float), but expected one of:\n * ()\n      didn't match because some of the arguments have invalid types: (!float!)\n * (Tensor other)\n      didn't match because some of the arguments have invalid types: (!float!)\n * (int dim, bool keepdim = False)\n",
    "x.clamp('a')": "clamp() received an invalid combination of arguments - got (str), but expected one of:\n * (Tensor min = None, Tensor max = None)\n * (Number min = None, Number max = None)\n",
    "x.reshape()": 'reshape() missing 1 required positional arguments: "shape"',
    "torch.zeros()": 'zeros() missing 1 required positional arguments: "size"',
    "torch.zeros(2, foo=1)": "zeros() got an unexpected keyword argument 'foo'",
    "torch.zeros('a')": "zeros(): argument 'size' (position 1) must be tuple of ints, not str",
    "torch.pow('a', x)": "pow() received an invalid combination of arguments - got (str, Tensor), but expected one of:\n * (Tensor input, Tensor exponent, *, Tensor out = None)\n * (Number self, Tensor exponent, *, Tensor out = None)\n * (Tensor input, Number exponent, *, Tensor out = None)\n",
    "torch.where(x, x)": "where() received an invalid combination of arguments - got (Tensor, Tensor), but expected one of:\n * (Tensor condition)\n * (Tensor condition, Tensor input, Tensor other, *, Tensor out = None)\n * (Tensor condition, Number self, Tensor other)\n * (Tensor condition, Tensor input, Number other)\n * (Tensor condition, Number self, Number other)\n",
    "x.permute(0, 1.0)": "permute(): argument 'dims' failed to unpack the object at pos 2 with error \"type must be tuple of ints,but got float\"",
    "torch.eye(1.5)": "eye(): argument 'n' (position 1) must be int, not float",
    "torch.tensor()": 'tensor() missing 1 required positional arguments: "data"',
    "torch.tensor([1], 2)": "tensor() takes 1 positional argument but 2 were given",
    "torch.tensor([1.0], dtype=3)": "tensor(): argument 'dtype' must be torch.dtype, not int",
    "x.size('a')": "size(): argument 'dim' (position 1) must be int, not str",
    "x.size(0, 1)": "size() takes from 0 to 1 positional arguments but 2 were given",
    "x.requires_grad_(3)": "requires_grad_(): argument 'requires_grad' (position 1) must be bool, not int",
}


@pytest.mark.parametrize("call", REFUSED)
def test_a_call_that_does_not_fit_is_refused(call: str) -> None:
    error = run(HEAD + call).error
    assert error is not None
    assert (error.type, error.message) == ("TypeError", REFUSED[call])


ACCEPTED = {
    "x.sum(torch.tensor(1))": "[3.0, 7.0] torch.float32",
    "x.sum(axis=1, keepdims=True)": "[[3.0], [7.0]] torch.float32",
    "x.view(size=(4,))": "[1.0, 2.0, 3.0, 4.0] torch.float32",
    "torch.zeros(size=(2,))": "[0.0, 0.0] torch.float32",
    "torch.zeros(2, device='cpu', layout=None)": "[0.0, 0.0] torch.float32",
    "torch.tensor(torch.tensor(3.5))": "3.5 torch.float32",
    "x.reshape(torch.tensor(4))": "[1.0, 2.0, 3.0, 4.0] torch.float32",
    "x * torch.tensor(2)": "[[2.0, 4.0], [6.0, 8.0]] torch.float32",
    "torch.add(input=x, other=1, alpha=2)": "[[3.0, 4.0], [5.0, 6.0]] torch.float32",
    "x.pow(torch.tensor(2))": "[[1.0, 4.0], [9.0, 16.0]] torch.float32",
    "x.clamp(torch.tensor(1.), torch.tensor(2.))": "[[1.0, 2.0], [2.0, 2.0]] torch.float32",
    "torch.full((2,), torch.tensor(7))": "[7, 7] torch.int64",
    "x.expand(size=[2, 2])": "[[1.0, 2.0], [3.0, 4.0]] torch.float32",
    "x.float(memory_format=None)": "[[1.0, 2.0], [3.0, 4.0]] torch.float32",
    "x.transpose(dim0=0, dim1=-1)": "[[1.0, 3.0], [2.0, 4.0]] torch.float32",
    "torch.ones(torch.Size([2]), dtype=float)": "[1.0, 1.0] torch.float64",
    "x.sum(dtype=int)": "10 torch.int64",
}


@pytest.mark.parametrize("call", ACCEPTED)
def test_a_call_that_fits_gives_pytorchs_result(call: str) -> None:
    trace = run(f"{HEAD}y = {call}\nprint(y.tolist(), y.dtype)")
    assert trace.error is None
    assert trace.stdout == ACCEPTED[call] + "\n"


def test_what_pytorch_has_and_the_engine_has_not_is_said() -> None:
    error = run(HEAD + "torch.mm(x, x, out_dtype=torch.float32)").error
    assert error is not None
    assert error.message == "torch.mm: argument 'out_dtype' exists in PyTorch but is not available in Gradflow"


@pytest.mark.parametrize(
    ("device", "message"),
    [("cuda", "Torch not compiled with CUDA enabled"), ("cuda:1", "Torch not compiled with CUDA enabled")],
)
def test_there_is_no_other_device_than_the_cpu(device: str, message: str) -> None:
    error = run(HEAD + f"torch.zeros(2, device={device!r})").error
    assert error is not None
    assert error.message == message


def test_deprecated_overloads_compute_and_warn_once() -> None:
    """As PyTorch 2.13 prints it; of all deprecated overloads only the first that is used warns."""
    source = """
import torch
p, g, m = torch.ones(2), torch.ones(2), torch.ones(2, 2)
print(torch.add(p, 2, g), torch.sub(p, 2, g), torch.addcmul(p, 2, g, g), p.addcdiv_(0.5, g, g))
print(torch.addmm(0.5, m, m, m), torch.addmm(0.5, m, 2, m, m))
print(torch.addmv(2, p, torch.eye(2), g), torch.addr(0.5, torch.eye(2), g, g))
"""
    trace = run(source)
    assert trace.stdout == (
        "tensor([3., 3.]) tensor([-1., -1.]) tensor([3., 3.]) tensor([1.5000, 1.5000])\n"
        "tensor([[2.5000, 2.5000],\n        [2.5000, 2.5000]]) tensor([[4.5000, 4.5000],\n        [4.5000, 4.5000]])\n"
        "tensor([4., 4.]) tensor([[1.5000, 1.0000],\n        [1.0000, 1.5000]])\n"
    )
    assert [warning.message for warning in trace.warnings] == [
        "This overload of add is deprecated:\n\tadd(Tensor input, Number alpha, Tensor other, *, Tensor out = None)\n"
        "Consider using one of the following signatures instead:\n"
        "\tadd(Tensor input, Tensor other, *, Number alpha = 1, Tensor out = None)"
    ]
