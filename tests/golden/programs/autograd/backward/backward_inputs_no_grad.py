import torch
x = torch.ones(2, requires_grad=True)
w = torch.ones(2)
(x * w).sum().backward(inputs=[w])
print(w.grad)
