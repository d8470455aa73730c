import torch
x = torch.tensor(3., requires_grad=True)
a = x * 2
b = a + x
c = a * b
d = c + a
d.backward()
print(d, x.grad)
