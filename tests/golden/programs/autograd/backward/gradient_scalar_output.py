import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.sum()
y.backward(torch.tensor(5.))
print(x.grad)
