from torch.nn.parameter import Parameter, UninitializedParameter, is_lazy
import torch
print(Parameter(torch.ones(2)), is_lazy(Parameter(torch.ones(1))))
