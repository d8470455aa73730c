import torch
from torch.autograd import Variable
x = Variable(torch.ones(2, 2), requires_grad=True)
print(x)
y = x + 2
print(y.grad_fn)
z = y * y * 3
out = z.mean()
print(z, out)
out.backward()
print(x.grad, x.grad.data, x.data)
v = Variable(torch.Tensor([1, 2]))
print(v.requires_grad, type(v), isinstance(v, Variable), isinstance(v, torch.Tensor), isinstance(torch.ones(1), Variable))
x.grad.data.zero_()
print(x.grad)
t = Variable(torch.FloatTensor([[1, 2], [3, 4]]), requires_grad=True)
s = torch.sum(t * t)
s.backward()
print(t.grad)
print(t.creator if hasattr(t, "creator") else "no creator")
import torch.autograd.variable
print(torch.autograd.variable.Variable is Variable)
try:
    Variable([1, 2])
except Exception as e:
    print(type(e).__name__, e)
try:
    Variable(torch.ones(1), volatile=True)
except Exception as e:
    print(type(e).__name__, e)
s.data[0]
