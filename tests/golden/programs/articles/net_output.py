import torch as t
from torch.autograd import Variable
net.zero_grad() #所有參數的梯度清零
output.backward(Variable(t.ones(1, 10))) #反向傳播
