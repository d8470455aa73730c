import torch

a = torch.tensor([[1., 2., 3.],
                  [4., 5., 6.]], requires_grad=True)
out = a * a
out.backward(a.detach())
print(a.grad)  # 2 * a * a: the local rule 2 * a, weighed by a
