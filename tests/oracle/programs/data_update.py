import torch

w = torch.tensor([3.0, 1.0], requires_grad=True)
for k in range(3):
    y = (w ** 2).sum()
    y.backward()
    w.data -= 0.1 * w.grad.data
    w.grad.data.zero_()
w.data = torch.tensor([5.0, 6.0])
w.data[0] = 9.0
print(w)
