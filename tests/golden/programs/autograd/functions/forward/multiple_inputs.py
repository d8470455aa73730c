import torch
class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b=None):
        ctx.save_for_backward(x, w, b)
        out = x @ w.t()
        if b is not None:
            out = out + b
        return out
    @staticmethod
    def backward(ctx, g):
        x, w, b = ctx.saved_tensors
        print(ctx.needs_input_grad)
        gx = gw = gb = None
        if ctx.needs_input_grad[0]:
            gx = g @ w
        if ctx.needs_input_grad[1]:
            gw = g.t() @ x
        if b is not None and ctx.needs_input_grad[2]:
            gb = g.sum(0)
        return gx, gw, gb
x = torch.ones(2, 3)
w = torch.arange(6.).view(2, 3).requires_grad_()
b = torch.zeros(2, requires_grad=True)
out = Linear.apply(x, w, b)
print(out)
out.sum().backward()
print(w.grad, b.grad)
