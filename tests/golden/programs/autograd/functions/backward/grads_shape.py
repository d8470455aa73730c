import torch
from torch.autograd import Function
def make(ret):
    class F(Function):
        @staticmethod
        def forward(ctx, x, y):
            return (x * y).sum()
        @staticmethod
        def backward(ctx, g):
            return ret(g)
    return F
x = torch.ones(2, 3, requires_grad=True)
y = torch.ones(2, 3)
def t(label, ret):
    x.grad = None
    try:
        make(ret).apply(x, y).backward()
        print(label, x.grad)
    except Exception as e:
        print(label, type(e).__name__, e)
t(1, lambda g: (g.expand(2, 3), None))
t(2, lambda g: (g, None))
t(3, lambda g: (torch.ones(2, 2, 3), None))
t(4, lambda g: (torch.ones(3, 2), None))
t(5, lambda g: (torch.ones(2, 3), torch.ones(7)))
t(6, lambda g: (torch.ones(2, 3, dtype=torch.double), None))
t(7, lambda g: (torch.ones(2, 3, dtype=torch.long), None))
t(8, lambda g: (None, None))
t(9, lambda g: None)
t(10, lambda g: (torch.ones(2, 3), None, None))
t(11, lambda g: (torch.ones(2, 3), None, 3))
t(12, lambda g: [torch.ones(2, 3), None])
t(13, lambda g: (1.0, None))
t(14, lambda g: torch.ones(2, 3))
t(15, lambda g: (torch.ones(2, 3, dtype=torch.complex64), None))
t(16, lambda g: (torch.ones(2, 3).t(), None))
