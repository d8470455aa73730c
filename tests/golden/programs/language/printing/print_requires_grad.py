import torch
print(torch.ones(2, requires_grad=True))
print(torch.ones(2, requires_grad=True) + 1)
print(torch.ones(2, requires_grad=True).double())
print(torch.tensor(1.5, requires_grad=True))
print(repr(torch.zeros(0, requires_grad=True)))
print([torch.ones(1, requires_grad=True) * 2])
print(f"{torch.tensor(1.5, requires_grad=True):.3f}", f"{torch.ones(2)}")
