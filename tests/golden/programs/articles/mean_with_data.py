import torch


a = torch.tensor([2, 3], dtype=torch.float, requires_grad=True)
b = a + 3
c = b * b * 3
out = c.mean()
out.backward()
print('input')
print(a.data)
print('compute result is')
print(out.data)
print('input gradients are')
print(a.grad)
