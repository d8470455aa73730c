import torch
x=torch.tensor([[1.0,2.0],[3.0,4.0]],requires_grad=True)
print(x)
y=3*x
print(y)
y.backward()
