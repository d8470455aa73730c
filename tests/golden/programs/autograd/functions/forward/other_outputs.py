import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, lst, d):
        return x * len(lst) * d['a']
    @staticmethod
    def backward(ctx, g):
        return g * 6, None, None
x = torch.ones(2, requires_grad=True)
o = F.apply(x, [1, 2, 3], {'a': 2})
print(o)
o.sum().backward()
print(x.grad)
class Out(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, 'text', None, [x], 3
    @staticmethod
    def backward(ctx, *g):
        print(g)
        return g[0]
o = Out.apply(x)
print(o)
o[0].sum().backward()
print(x.grad)
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 5
    @staticmethod
    def backward(ctx, *g):
        return g[0]
print(Bad.apply(x))
