import torch
buf = torch.zeros(3, 2)
w = torch.tensor([1., 2.], requires_grad=True)
h = torch.ones(2)
for t in range(3):
    h = h * w
    buf[t] = h
print(buf, buf._version)
buf.sum().backward()
print(w.grad)
buf2 = torch.zeros(3)
for t in range(3):
    buf2[t] = (w * t).sum()
buf2[0] = 5.
print(buf2)
(buf2 ** 2).sum().backward()
print(w.grad)
