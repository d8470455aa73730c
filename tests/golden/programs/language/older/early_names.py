import torch as t
from torch.autograd import Variable, grad
from torch import nn, Tensor
x = Variable(t.Tensor([1, 2]), requires_grad=True)
y = x.pow(2).sum()
print(grad(y, [x]))
print(isinstance(x, Tensor), x.type(), y.data, t.is_tensor(x))
