import torch
x = torch.ones(2, requires_grad=True)
def attempt(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
attempt(lambda: (x * 2).backward())
attempt(lambda: (x * 2).backward(torch.ones(3)))
attempt(lambda: (x * 2).backward(1.0))
attempt(lambda: (x * 2).backward([1., 1.]))
attempt(lambda: (x * 2).sum().backward(torch.ones(1)))
attempt(lambda: torch.ones(2).sum().backward())
attempt(lambda: torch.autograd.backward([x.sum(), x * 2]))
attempt(lambda: torch.autograd.backward([x.sum(), x.sum()], [torch.tensor(1.)]))
attempt(lambda: torch.autograd.backward(x.sum(), grad_tensors=torch.tensor(1.), grad_variables=torch.tensor(1.)))
attempt(lambda: (x * 2).backward(gradient=torch.ones(2, dtype=torch.complex64)))
attempt(lambda: torch.autograd.backward([]))
attempt(lambda: torch.autograd.backward(None))
attempt(lambda: (x.sum()).backward(retain_variables=True))
