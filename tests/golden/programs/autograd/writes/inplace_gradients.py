import torch
for f in ("exp_", "sin_", "sqrt_", "sigmoid_", "tanh_", "log_", "reciprocal_", "cos_"):
    x = torch.tensor([0.5, 2.], requires_grad=True)
    z = x.clone()
    getattr(z, f)()
    z.sum().backward()
    print(f, x.grad)
