import torch
x = torch.arange(4., requires_grad=True)
y = x * 2
d = y.detach()
print(d.requires_grad, d.grad_fn, d.is_leaf, d.data_ptr() == y.data_ptr())
y.detach_()
print(y.requires_grad, y.is_leaf, y)
z = (x * 2).view(2, 2)
try:
    z.detach_()
except RuntimeError as e:
    print(e)
try:
    z.requires_grad_(False)
except RuntimeError as e:
    print(e)
try:
    z.requires_grad = False
except RuntimeError as e:
    print(e)
z.requires_grad = True
print(z.requires_grad)
c = x.clone()
c[0] = 100
print(x, c)
e = x.detach().clone().requires_grad_(True)
e.sum().backward()
print(e.grad, x.grad)
i = torch.arange(3)
for f in (lambda: i.requires_grad_(), lambda: setattr(i, "requires_grad", True), lambda: torch.tensor([1, 2], requires_grad=True), lambda: torch.zeros(2, dtype=torch.bool, requires_grad=True), lambda: torch.arange(3, requires_grad=True)):
    try:
        f()
    except Exception as ex:
        print(type(ex).__name__, ex)
