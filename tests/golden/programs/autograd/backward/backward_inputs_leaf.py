import torch
x = torch.ones(2, requires_grad=True)
w = torch.full((2,), 2., requires_grad=True)
(x * w).sum().backward(inputs=x)
print(x.grad, w.grad)
(x * w).sum().backward(inputs=[w])
print(x.grad, w.grad)
try:
    (x * w).sum().backward(inputs=[])
except RuntimeError as e:
    print(e)
