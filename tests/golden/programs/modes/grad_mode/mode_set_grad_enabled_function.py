import torch
x = torch.ones(1, requires_grad=True)
torch.set_grad_enabled(False)
print((x * 2).requires_grad)
torch.set_grad_enabled(True)
print((x * 2).requires_grad)
prev = torch.set_grad_enabled(False)
print(type(prev).__name__)
