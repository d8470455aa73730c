import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 2
y.backward(torch.tensor([1, 2]), retain_graph=True)
print(x.grad)
y.backward(torch.tensor([True, False]), retain_graph=True)
print(x.grad)
y.backward(torch.tensor([1., 1.], dtype=torch.float64))
print(x.grad)
