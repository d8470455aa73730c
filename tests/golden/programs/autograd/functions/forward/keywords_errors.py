import torch
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *xs):
        return xs[0]
    @staticmethod
    def backward(ctx, g):
        return g
class G(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k=2):
        return x * k
    @staticmethod
    def backward(ctx, g):
        return g, None
class H(torch.autograd.Function):
    @staticmethod
    def forward(x, k=2):
        return x * k
    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs)
    @staticmethod
    def backward(ctx, g):
        return g, None
a = torch.ones(2, requires_grad=True)
for f in [lambda: F.apply(x=a), lambda: G.apply(x=a), lambda: G.apply(a, k=3), lambda: G.apply(), lambda: G.apply(a, 1, 2), lambda: H.apply(), lambda: H.apply(a, k=3), lambda: H.apply(a, 1, 2), lambda: H.apply(a), lambda: H.apply(a, z=2), lambda: G.apply(a, z=2), lambda: H.apply(k=2)]:
    try:
        r = f()
        print(r)
        r.sum().backward()
    except Exception as e:
        print(type(e).__name__, e)
