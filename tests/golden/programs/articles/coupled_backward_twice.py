import torch
from torch.autograd import Variable as v
m = v(torch.tensor([[2, 3]], dtype=torch.float), requires_grad=True)
j = torch.zeros(2 ,2)
k = v(torch.zeros(1, 2))
k[0, 0] = m[0, 0] ** 2 + 3 * m[0 ,1]
k[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]
k.backward(torch.tensor([[1, 1]], dtype=torch.float))
print(m.grad)
k.backward(torch.tensor([[1, 0]], dtype=torch.float), retain_graph=True)
j[0] = m.grad
print(j)
