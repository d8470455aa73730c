import torch
x = torch.ones(2, requires_grad=True)
x.grad = torch.tensor([5., 6.])
(x * 2).sum().backward()
print(x.grad)
for bad in (3, torch.ones(3), torch.ones(2, dtype=torch.double)):
    try:
        x.grad = bad
    except Exception as e:
        print(type(e).__name__, e)
del x.grad
print(x.grad)
x.grad = None
print(x.grad)
