from __future__ import print_function
import torch as t
from torch.autograd import Variable
#使用Tensor新建一個Variable
x = Variable(t.ones(2, 2),requires_grad = True)
print(x)
print(x)
x.grad_fn
x.grad
print(x.grad_fn, x.grad)
y = x.sum()
print(y)
print(y)
print(y.grad_fn)
print(y.grad_fn)
y.backward()#反向傳播,計算梯度
#因為y = x.sum() = (x[0][0] + x[0][1] + x[1][0] + x[1][1])
#每個值的梯度都為1
print(x.grad)
print(x.grad)
