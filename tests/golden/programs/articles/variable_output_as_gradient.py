from __future__ import print_function
import torch as t
from torch.autograd import Variable
x = Variable(t.ones(2, 2),requires_grad = True)
y = x + 1
y.backward(y.data)
print(x.grad)
x.grad.data.zero_() #將之前的值清零
print(x.grad)
y.backward(y)
print(x.grad)
x.grad.data.zero_()
y.backward(Variable(t.ones(2, 2)))
print(x.grad)
