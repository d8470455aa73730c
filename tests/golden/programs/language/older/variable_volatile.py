import torch
from torch.autograd import Variable
x = Variable(torch.ones(2), requires_grad=True)
print(isinstance(x, torch.Tensor), type(x))
y = Variable(x.data * 2)
print(y, y.requires_grad)
