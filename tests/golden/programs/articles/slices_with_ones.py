import torch
m = torch.tensor([[2, 3]], dtype=torch.float, requires_grad=True)
print( m )
n = torch.zeros(1, 2)
print( n )
n[0, 0] = m[0, 0] ** 2
n[0, 1] = m[0, 1] ** 3
print( n )
print(m.grad_fn)
print(n.grad_fn)
print(n.requires_grad)
print(m.data)
k = torch.tensor([[1, 1]])
print(k)
n.backward(torch.tensor([[1, 1]], dtype=torch.float))
print(m.grad)
