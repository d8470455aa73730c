import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 1
y += 2
y -= 0.5
y *= 3
y /= 4
y **= 2
print(y)
y.backward(torch.ones(2))
print(x.grad)
