import torch
from torch.nn.modules.module import Module
from torch.nn.modules.linear import Linear
from torch.nn.modules.conv import _ConvNd, Conv2d
from torch.nn.modules.loss import _Loss, _WeightedLoss, CrossEntropyLoss
from torch.nn.modules.batchnorm import _BatchNorm, BatchNorm2d
from torch.nn.modules.activation import ReLU
from torch.nn.modules.container import Sequential
from torch.nn.modules.rnn import RNNBase, LSTM
from torch.nn.modules.utils import _pair, _single, _triple, _ntuple
from torch.nn.modules import Module as M2
print(_pair(3), _single(2), _triple((1,2,3)), _ntuple(5)('a'), M2 is Module)
print(isinstance(BatchNorm2d(2), _BatchNorm), isinstance(Conv2d(1,1,1), _ConvNd), issubclass(CrossEntropyLoss, _WeightedLoss))
