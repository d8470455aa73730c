import torch

m = torch.tensor([[2., 3.]], requires_grad=True)
k = torch.zeros(1, 2)
k[0, 0] = m[0, 0] ** 2 + 3 * m[0, 1]
k[0, 1] = m[0, 1] ** 2 + 2 * m[0, 0]
jacobian = torch.zeros(2, 2)

# A one-hot gradient asks for one output alone: one row.
k.backward(torch.tensor([[1., 0.]]), retain_graph=True)
jacobian[0] = m.grad

m.grad.zero_()  # otherwise the second row is added to the first
k.backward(torch.tensor([[0., 1.]]))
jacobian[1] = m.grad
print(jacobian)
