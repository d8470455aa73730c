import torch
import torch.nn as nn
import torch.autograd as autograd
from torch.autograd import Variable
cuda = True if torch.cuda.is_available() else False
Tensor = torch.cuda.FloatTensor if cuda else torch.FloatTensor
torch.manual_seed(0)
D = nn.Sequential(nn.Linear(2, 4), nn.LeakyReLU(0.2), nn.Linear(4, 1))
real, fake = torch.randn(3, 2), torch.randn(3, 2)
alpha = Tensor(torch.rand(3, 1))
inter = (alpha * real + ((1 - alpha) * fake)).requires_grad_(True)
d = D(inter)
g = autograd.grad(outputs=d, inputs=inter, grad_outputs=Variable(Tensor(real.shape[0], 1).fill_(1.0), requires_grad=False), create_graph=True, retain_graph=True, only_inputs=True)[0]
gp = ((g.view(g.size(0), -1).norm(2, dim=1) - 1) ** 2).mean(); gp.backward(); print(gp, D[0].weight.grad)
