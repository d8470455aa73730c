import torch
x=torch.tensor([[1.0,2.0],[3.0,4.0]],requires_grad=True)
y=3*x
z=torch.tensor([[1.0,0.1],[0.01,0.001]],dtype=torch.float)
y.backward(z)
print(x.grad)
m = torch.sum(y*z)
print(m)
m.backward()
print(x.grad)
