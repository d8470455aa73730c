"""Module doc."""
__all__ = ["Linear", "f"]
__author__ = "me"
__version__ = "0.1"
import torch
_private = 3
class Linear(torch.nn.Module):
    __constants__ = ["in_features"]
    __version__ = "1"
    def __init__(self):
        super().__init__()
        self._w = torch.nn.Parameter(torch.ones(2))
    def forward(self, x):
        return (x * self._w).sum()
def f(): pass
m = Linear()
m(torch.ones(2)).backward()
print(m._w.grad, __all__, __author__, __version__, Linear.__version__, __doc__, __name__)
