import torch
x = torch.tensor([1., 2.], requires_grad=True)
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: torch.autograd.grad(x * 2, x))
attempt(lambda: torch.autograd.grad((x * 2).sum(), torch.ones(2)))
attempt(lambda: torch.autograd.grad((x * 2).sum(), []))
attempt(lambda: torch.autograd.grad(torch.ones(2).sum(), x))
attempt(lambda: torch.autograd.grad((x * 2).sum(), x, torch.ones(2)))
attempt(lambda: torch.autograd.grad([x.sum(), x.sum()], x, [torch.tensor(1.)]))
attempt(lambda: torch.autograd.grad((x * 2).sum(), x, only_inputs=False))
attempt(lambda: torch.autograd.grad((x * 2).sum(), 3))
attempt(lambda: torch.autograd.grad(3, x))
