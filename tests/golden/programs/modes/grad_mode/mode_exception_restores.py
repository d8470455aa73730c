import torch
try:
    with torch.no_grad():
        raise ValueError("x")
except ValueError:
    pass
print(torch.is_grad_enabled())
