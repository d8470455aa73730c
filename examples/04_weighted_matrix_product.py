import torch

a = torch.tensor([[1., 2.],
                  [3., 4.]], requires_grad=True)
b = torch.tensor([[1., 2., 3.],
                  [4., 5., 6.]], requires_grad=True)
c = a.mm(b)

# Each number weighs one element of c.
c.backward(torch.tensor([[1., 0., -1.],
                         [2., 0.5, 0.]]))
print(a.grad)
print(b.grad)
