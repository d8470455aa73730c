import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable
class Exp(Function):
    @staticmethod
    def forward(ctx, x):
        r = x.exp()
        ctx.save_for_backward(r)
        return r
    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        r, = ctx.saved_tensors
        print(r.requires_grad, torch.is_grad_enabled())
        return g * r
x = torch.tensor(1., requires_grad=True)
y = Exp.apply(x)
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
try:
    g.backward()
except RuntimeError as e:
    print(e)
class Sq(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x
    @staticmethod
    def backward(ctx, g):
        print(torch.is_grad_enabled(), g.requires_grad)
        return 2 * ctx.x * g
y = Sq.apply(x)
g, = torch.autograd.grad(y, x, create_graph=True)
print(g)
gg, = torch.autograd.grad(g, x)
print(gg)
class View(Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)
    @staticmethod
    def backward(ctx, g):
        return g * 5
h = View.apply(x * 1)
print(h)
try:
    h.add_(1)
    print(h)
except RuntimeError as e:
    print(e)
class Same(Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def backward(ctx, g):
        return g * 7
s = Same.apply(x)
print(s, s is x, s.data_ptr() == x.data_ptr())
s.backward()
print(x.grad)
