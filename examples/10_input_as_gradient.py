import torch

m = torch.tensor([[2., 3.]], requires_grad=True)
n = torch.zeros(1, 2)
n[0, 0] = m[0, 0] ** 2
n[0, 1] = m[0, 1] ** 3

n.backward(m.data, retain_graph=True)
print(m.grad)  # (2 * 4, 3 * 27)

m.grad.zero_()
n.backward(torch.ones(1, 2))
print(m.grad)  # (4, 27), the derivatives themselves
