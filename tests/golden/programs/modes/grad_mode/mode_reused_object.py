import torch
ng = torch.no_grad()
with ng:
    with ng:
        print(torch.is_grad_enabled())
    print(torch.is_grad_enabled())
print(torch.is_grad_enabled())
