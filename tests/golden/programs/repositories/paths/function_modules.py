import torch
from torch.autograd.function import Function, InplaceFunction, once_differentiable
from torch.autograd.variable import Variable
from torch.autograd import Variable as V, Function as F2
print(Function is F2, V is Variable)
class Sq(Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x*x
    @staticmethod
    @once_differentiable
    def backward(ctx, g): x, = ctx.saved_tensors; return 2*x*g
x = Variable(torch.ones(2), requires_grad=True)
Sq.apply(x).sum().backward(); print(x.grad)
