import torch
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x ** 2
for i in range(3):
    g = torch.zeros(3)
    g[i] = 1
    y.backward(g, retain_graph=True)
    print(i, x.grad)
