import torch
class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3
    @staticmethod
    def backward(ctx, g1, g2):
        print(g1, g2)
        return g1 * 2 + g2 * 3
x = torch.ones(2, requires_grad=True)
a, b = Split.apply(x)
print(a, b, a.grad_fn is b.grad_fn, b.output_nr)
a.sum().backward()
print(x.grad)
