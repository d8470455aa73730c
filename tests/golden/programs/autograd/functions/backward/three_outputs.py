import torch
class Multi(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a + b, a * b, a - b
    @staticmethod
    def backward(ctx, g1, g2, g3):
        a, b = ctx.saved_tensors
        print([g is None for g in (g1, g2, g3)], g1, g2, g3)
        return g1 + g2 * b + g3, g1 + g2 * a - g3
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
s, p, d = Multi.apply(a, b)
print(s.grad_fn is p.grad_fn, [t.output_nr for t in (s, p, d)])
(s * p).sum().backward()
print(a.grad, b.grad)
s, p, d = Multi.apply(a, b)
print(torch.autograd.grad(d.sum(), [a, b]))
s, p, d = Multi.apply(a, b)
print(torch.autograd.grad([s, p], [a], [torch.ones(2), torch.ones(2)]))
s, p, d = Multi.apply(a, b)
p.register_hook(lambda g: print('p', g))
d.retain_grad()
(d * 2).sum().backward()
print(d.grad)
