import torch
a = torch.tensor([[1,2,3],[4,5,6]], dtype=torch.float, requires_grad=True)
out = a * a
out.backward(torch.ones(2,3))
print(a.grad)
