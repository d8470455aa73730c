import torch
w = torch.tensor([1., 2.], requires_grad=True)
y = w ** 2
w.detach().add_(1)
try:
    y.sum().backward()
except RuntimeError as e:
    print(e)
w2 = torch.tensor([1., 2.], requires_grad=True)
y2 = w2 ** 2
w2.data.add_(1)
y2.sum().backward()
print(w2.grad)
