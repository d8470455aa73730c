import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
for f in ("exp_", "sin_", "sqrt_", "neg_", "sigmoid_", "tanh_", "relu_", "abs_", "reciprocal_"):
    z = y.clone()
    getattr(z, f)()
    print(f, z.grad_fn, z._version)
for f in ("add_", "sub_", "mul_", "div_", "pow_"):
    z = y.clone()
    getattr(z, f)(2)
    print(f, z.grad_fn)
z = y.clone().clamp_(0, 1.5)
print(z, z.grad_fn)
z = y.clone().clamp_(min=1.5)
print(z.grad_fn)
