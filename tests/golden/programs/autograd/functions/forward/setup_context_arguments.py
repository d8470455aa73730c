import torch
class H(torch.autograd.Function):
    @staticmethod
    def forward(x, k=2):
        return x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs, ctx.needs_input_grad)
        ctx.k = inputs[1]
    @staticmethod
    def backward(ctx, g):
        return g * ctx.k, None
a = torch.ones(2, requires_grad=True)
for f in [lambda: H.apply(), lambda: H.apply(a, k=3), lambda: H.apply(a, 1, 2), lambda: H.apply(a), lambda: H.apply(a, z=2), lambda: H.apply(k=2), lambda: H.apply(x=a)]:
    try:
        r = f()
        r.sum().backward()
        print(r, a.grad)
    except Exception as e:
        print(type(e).__name__, e)
