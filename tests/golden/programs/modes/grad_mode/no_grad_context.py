import torch
x = torch.tensor([1., 2.], requires_grad=True)
with torch.no_grad():
    y = x * 2
    print(torch.is_grad_enabled())
    with torch.enable_grad():
        z = x * 3
print(y, z)
print(y.requires_grad, z.requires_grad, torch.is_grad_enabled())
