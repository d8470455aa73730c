import torch
x = torch.tensor(2., requires_grad=True)
a = x * x
b = a + 1
c = a * 3
b.backward(retain_graph=True)
c.backward()
print(x.grad)
try:
    b.backward()
except RuntimeError:
    print("no")
print(x.grad)
