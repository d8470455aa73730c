import torch
m = torch.arange(6.).reshape(2, 3).requires_grad_()
v = torch.tensor([1., 2., 3.], requires_grad=True)
w = torch.tensor([1., -1.], requires_grad=True)
print(m @ v, w @ m, v @ v, m.mv(v), v.dot(v))
print(torch.matmul(m, m.t()), torch.outer(w, v))
y = (w @ m @ v)
y.backward()
print(m.grad, v.grad, w.grad)
