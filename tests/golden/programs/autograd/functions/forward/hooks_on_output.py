import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, g):
        print("backward gets", g)
        return g * 2
x = torch.ones(2, requires_grad=True)
y = F.apply(x)
y.register_hook(lambda g: g + 1)
y.retain_grad()
y.grad_fn.register_hook(lambda gi, go: print("node", gi, go))
y.sum().backward()
print(x.grad, y.grad)
