import torch

m = torch.tensor([2., 3.], requires_grad=True)
n = torch.zeros(2)
print(n.grad_fn, n.requires_grad)

# Writing into a part of n joins n to the graph.
n[0] = m[0] * m[1]
print(n)
n[1] = m[1] ** 2
print(n)

n.backward(torch.tensor([1., 1.]))
print(m.grad)
