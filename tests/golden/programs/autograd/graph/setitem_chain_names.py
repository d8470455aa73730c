import torch
w = torch.tensor(3., requires_grad=True)
a = torch.zeros(2, 2)
a[0, 0] = w
print(a.grad_fn, a.grad_fn.next_functions)
a[:, 1] = w * 2
print(a.grad_fn.next_functions)
a.sum().backward()
print(w.grad)
