from torch.optim import sgd, Adam, lr_scheduler
from torch.optim.lr_scheduler import *
print(sgd.SGD, StepLR)
import torch.optim.sgd as s
print(s is sgd)
from torch.utils import data
from torch import nn, optim, autograd
from torch.nn import functional as F, init, Parameter
from torch.autograd import grad, Variable, Function
print(data.DataLoader, optim.Adam)
