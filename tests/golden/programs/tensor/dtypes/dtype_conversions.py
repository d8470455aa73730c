import torch
x = torch.tensor([1.7, -1.7], requires_grad=True)
print(x.double(), x.long(), x.int(), x.bool(), x.to(torch.float64))
x.double().sum().backward()
print(x.grad)
