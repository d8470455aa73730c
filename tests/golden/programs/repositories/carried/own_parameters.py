import torch, copy
from torch import nn


class P(nn.Parameter):
    def __new__(cls, data=None, requires_grad=True, tag=None):
        self = super().__new__(cls, data, requires_grad)
        self.tag = tag
        return self

    def __init__(self, *a, **k):
        super().__init__()

    def scaled(self, k):
        return self * k

    def __repr__(self):
        return f"P({self.tag})"


p = P(torch.ones(2), tag="a")
print(p, p.scaled(2), type(p.scaled(2)).__name__)
m = nn.Linear(2, 2)
m.weight = P(m.weight.data, tag="w")
m2 = copy.deepcopy(m)
print(type(m2.weight).__name__, m2.weight.tag, m2.weight.requires_grad, list(m.state_dict()))
p.custom = 4
print(p.custom, p.tag)


class Q(nn.Parameter):
    pass


q = Q(torch.zeros(1))
print(q, isinstance(q, nn.Parameter), isinstance(q, torch.Tensor), type(q))
p.data.zero_()
print(p.sum(), p.is_leaf)
