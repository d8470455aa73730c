import torch
x = torch.arange(12.).view(3, 4)
x.requires_grad_()
v = x[0]
print(x._base is v._base, x.is_leaf)
with torch.no_grad(): v.mul_(2)
print(v.grad_fn, v.requires_grad, x.grad_fn, v.grad_fn.next_functions)
y = v * 3
print(y.requires_grad, v.grad_fn, v.requires_grad)
y.sum().backward()
print(x.grad, x._version)
try: v.mul_(2)
except RuntimeError as e: print(e)
w = x * 2
print(w.requires_grad, x.grad_fn, x.is_leaf)
try: x[1].mul_(2)
except RuntimeError as e: print(e)
try: x.mul_(2)
except RuntimeError as e: print(e)
