import torch
A = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
b = torch.tensor([1., 1.], requires_grad=True)
y = A @ b
print(y.grad_fn)
y.backward(torch.tensor([1., 2.]))
print(A.grad, b.grad)
C = torch.ones(2, 2, requires_grad=True)
(A @ C).trace().backward()
print(C.grad)
