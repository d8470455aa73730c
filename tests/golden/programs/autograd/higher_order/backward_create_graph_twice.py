import torch
x = torch.tensor(3., requires_grad=True)
y = x ** 3
y.backward(create_graph=True)
g = x.grad
print(g)
x.grad = None
g.backward()
print(x.grad)
