import torch
from torch.nn.modules.batchnorm import _BatchNorm
class BN(_BatchNorm):
    def _check_input_dim(self, x):
        if x.dim() != 2: raise ValueError('two')
b = BN(2); print(b(torch.tensor([[1., 2.], [3., 5.]])), b)
class Abs(_BatchNorm): pass
try: Abs(2)(torch.ones(2, 2))
except NotImplementedError as e: print('NIE', e)
b(torch.ones(1))
