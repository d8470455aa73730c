import torch
from torch.autograd import Variable
x = Variable(torch.ones(2), requires_grad=True)
y = (x * 2).sum()
y.backward()
print(x.grad, x.grad.data, type(x))
print(Variable(torch.ones(2)).requires_grad)
try:
    Variable(3)
except TypeError as e:
    print(e)
