import torch
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence
from torch.nn.utils.weight_norm import weight_norm
from torch.nn.utils.spectral_norm import spectral_norm
from torch.nn.utils.clip_grad import clip_grad_norm_
from torch.nn.utils.convert_parameters import parameters_to_vector
from torch.nn.utils.fusion import fuse_conv_bn_eval
from torch.nn.utils import stateless
print(pad_sequence([torch.ones(2), torch.ones(1)]))
