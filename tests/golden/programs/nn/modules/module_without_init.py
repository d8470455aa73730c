import torch
from torch import nn
class Bad(nn.Module):
    def __init__(self):
        self.w = nn.Parameter(torch.ones(1))
try:
    Bad()
except Exception as e:
    print(type(e).__name__, e)
class Bad2(nn.Module):
    def __init__(self):
        self.l = nn.Linear(1, 1)
try:
    Bad2()
except Exception as e:
    print(type(e).__name__, e)
class Bad3(nn.Module):
    def __init__(self):
        self.register_buffer('b', torch.ones(1))
try:
    Bad3()
except Exception as e:
    print(type(e).__name__, e)
class Bad4(nn.Module):
    def __init__(self):
        self.x = 3
b = Bad4()
print(b.x)
try:
    print(b)
except Exception as e:
    print(type(e).__name__, e)
try:
    print(b(3))
except Exception as e:
    print(type(e).__name__, e)
class NoForward(nn.Module):
    pass
try:
    NoForward()(3)
except Exception as e:
    print(type(e).__name__, e)
class Extra(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(1, 2)
    def extra_repr(self):
        return 'x=3, y=4'
print(Extra())
class Extra2(nn.Module):
    def extra_repr(self):
        return 'a\nb'
print(Extra2(), nn.Sequential(Extra2(), Extra()))
class Named(nn.Linear):
    def __repr__(self):
        return 'mine'
    def _get_name(self):
        return 'Foo'
print(Named(1, 1), nn.Sequential(Named(1, 1)))
class G(nn.ReLU):
    def _get_name(self):
        return 'Foo'
print(G())
