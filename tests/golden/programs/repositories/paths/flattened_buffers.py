"""Tensors flattened into one buffer and back, random inputs of the tests' own making."""
import torch
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors
from torch.func import functionalize
from torch.testing import make_tensor

torch.manual_seed(0)
parts = [torch.ones(2, 2), torch.arange(3.0), torch.tensor(7.0)]
flat = _flatten_dense_tensors(parts)
print(flat)
for part, back in zip(parts, _unflatten_dense_tensors(flat * 2, parts)):
    print(back, back.shape == part.shape)
w = torch.ones(3, requires_grad=True)
_flatten_dense_tensors([w, w * 2]).sum().backward()
print(w.grad)
print(make_tensor((2, 3), dtype=torch.float32, device="cpu"))
print(make_tensor(4, dtype=torch.int64, device="cpu", low=0, high=5))
print(make_tensor((2,), dtype=torch.complex64, device="cpu", low=-1, high=1))
print(make_tensor((3,), dtype=torch.bool, device="cpu"))
x = make_tensor((2, 2), dtype=torch.float64, device="cpu", noncontiguous=True, requires_grad=True)
print(x.stride(), x.requires_grad, x.is_contiguous())
try:
    make_tensor((2,), dtype=torch.float32, device="cpu", low=3, high=2)
except ValueError as error:
    print(error)


def added(x):
    y = x.clone()
    y.add_(1)
    return y * y


print(functionalize(added)(torch.ones(2)))
