import torch, torch.optim.sgd
from torch.optim.sgd import SGD
from torch.optim.adam import Adam
from torch.optim.adamw import AdamW
from torch.optim.rmsprop import RMSprop
from torch.optim.lbfgs import LBFGS
from torch.optim.lr_scheduler import _LRScheduler, LambdaLR, StepLR
print(SGD is torch.optim.SGD, torch.optim.sgd.SGD is SGD, Adam, AdamW, RMSprop, LBFGS, _LRScheduler)
