import torch
from torch.func import grad, vmap
w = torch.tensor([1., 2.])
def loss(w, x, y):
    return ((w @ x) - y) ** 2
xs = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
ys = torch.tensor([1., 2., 3.])
print(vmap(grad(loss), in_dims=(None, 0, 0))(w, xs, ys))
