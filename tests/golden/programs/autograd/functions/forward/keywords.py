import torch
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k=2, m=3):
        print(ctx.needs_input_grad, k, m)
        return x * k * m
    @staticmethod
    def backward(ctx, *g):
        return (g[0],) + (None,) * (len(ctx.needs_input_grad) - 1)
a = torch.ones(1, requires_grad=True)
b = torch.ones(1, requires_grad=True)
for f in [lambda: G.apply(a, m=5), lambda: G.apply(m=b, x=a), lambda: G.apply(m=b, x=a, k=3), lambda: G.apply(a, 1, k=2), lambda: G.apply(k=1), lambda: G.apply(a), lambda: G.apply(a, ctx=3), lambda: G.apply(k=2, x=a)]:
    try:
        r = f()
        print(r, len(r.grad_fn.next_functions))
        r.sum().backward()
        print(a.grad)
    except Exception as e:
        print(type(e).__name__, e)
