import torch
from torch.autograd import Variable as v
m = v(torch.tensor([[2, 3]], dtype=torch.float), requires_grad=True)
j = torch.zeros(2 ,2)
k = v(torch.zeros(1, 2))
print(m)
print(j)
print(k)
k[0, 0] = m[0, 0] ** 2 + 3 * m[0 ,1]
k[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]
print(k)
k.backward(torch.tensor([[1, 1]], dtype=torch.float))
print(m.grad)
