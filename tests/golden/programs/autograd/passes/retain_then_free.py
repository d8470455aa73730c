import torch
x = torch.tensor(2., requires_grad=True)
y = x ** 2
z = y ** 2
z.backward(retain_graph=True)
print(x.grad)
z.backward()
print(x.grad)
try:
    y.backward()
except RuntimeError as e:
    print("freed")
