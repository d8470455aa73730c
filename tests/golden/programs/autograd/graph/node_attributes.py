import torch
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y.sum()
print(z.grad_fn, z.grad_fn.next_functions, y.grad_fn.next_functions)
print(z.grad_fn.name(), type(z.grad_fn), type(z.grad_fn).__name__)
print(z.grad_fn.next_functions[0][0] is y.grad_fn, y.grad_fn == y.grad_fn)
print(y.grad_fn.next_functions[0][0].variable)
print(isinstance(y.grad_fn, torch.autograd.graph.Node))
y.grad_fn.metadata["note"] = 5
print(y.grad_fn.metadata)
try:
    y.grad_fn.missing
except AttributeError as e:
    print(e)
