import torch
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = x * 2
    print(y.requires_grad, y.is_inference(), torch.is_inference_mode_enabled(), torch.is_grad_enabled())
    y.add_(1)
print(y, y.is_inference(), x.is_inference(), torch.is_inference_mode_enabled())
z = y.clone()
print(z.is_inference())
