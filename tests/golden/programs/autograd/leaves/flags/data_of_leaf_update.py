import torch
w = torch.tensor([1., 2.], requires_grad=True)
(w ** 2).sum().backward()
w.data -= 0.1 * w.grad
print(w, w._version)
w.data.sub_(1)
print(w, w._version)
w.data = torch.tensor([7., 8.])
print(w, w.grad)
