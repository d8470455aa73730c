import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = torch.tensor([3., 4.])
m = x * y
print(m.grad_fn._saved_self, m.grad_fn._saved_other)
a = x + y
print(hasattr(a.grad_fn, "_saved_self"), a.grad_fn._saved_alpha)
