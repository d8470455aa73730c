import torch
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor([3., 4.], requires_grad=True)
y = x * w
print(y.grad_fn._saved_self, y.grad_fn._saved_other)
print(y.grad_fn._saved_self is x)
e = x.exp()
print(e.grad_fn._saved_result)
z = y ** 2
print(z.grad_fn._saved_exponent, z.grad_fn._saved_self)
y.sum().backward()
try:
    y.grad_fn._saved_self
except RuntimeError as err:
    print(str(err)[:70])
try:
    y.grad_fn._saved_nothing
except AttributeError as err:
    print(err)
