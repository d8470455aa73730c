import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
n = y.grad_fn
print(n(torch.ones(2)))
s = y.sum()
print(s.grad_fn(torch.tensor(2.)))
with torch.no_grad():
    print(n(torch.tensor([1., 3.])))
z = y.exp()
g = z.grad_fn(torch.ones(2))
print(g, z.grad_fn.next_functions[0][0](g))
print(x._backward_hooks, y._backward_hooks)
h = x.register_hook(lambda g: None)
k = y.register_hook(lambda g: None)
print(len(x._backward_hooks), len(y._backward_hooks), type(x._backward_hooks).__name__)
h.remove(); k.remove()
print(x._backward_hooks, y._backward_hooks)
print(x._grad)
y.sum().backward()
print(x._grad)
