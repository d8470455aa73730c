import torch
def run(f, *a):
    try: print(f(*a))
    except Exception as e: print(type(e).__name__, e)
x = torch.tensor([1., 2.], dtype=torch.float64, requires_grad=True)
run(torch.autograd.gradcheck, lambda x: x ** 2, x)
run(torch.autograd.gradcheck, lambda x: x.detach() ** 2, x)
run(torch.autograd.gradcheck, lambda x: x ** 2, x.float().detach().requires_grad_())
run(torch.autograd.gradcheck, lambda x: x ** 2, x.detach())
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 2
    @staticmethod
    def backward(ctx, g): return 3 * ctx.saved_tensors[0] * g
run(torch.autograd.gradcheck, Bad.apply, x)
run(lambda: torch.autograd.gradcheck(Bad.apply, x, raise_exception=False))
run(torch.autograd.gradgradcheck, lambda x: x ** 3, x)
run(torch.autograd.gradcheck, lambda x, y: x * y, (x, x.detach().clone().requires_grad_()))
run(torch.autograd.gradcheck, lambda x: (x * 2, x.sum()), x)
run(torch.autograd.gradcheck, torch.abs, torch.zeros(1, dtype=torch.float64, requires_grad=True))
