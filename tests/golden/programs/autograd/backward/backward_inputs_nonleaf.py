import torch
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
z = (y * y).sum()
z.backward(inputs=[y])
print(x.grad, w.grad, y.grad)
