import torch
from torch.types import Number, Device, _size, _dtype
from torch import Tensor, Size, dtype, device
def f(x: Tensor, d: Device) -> Number: return x.sum().item()
print(f(torch.ones(2), 'cpu'))
