from torch.nn.init import _calculate_fan_in_and_fan_out, _calculate_correct_fan, calculate_gain, _no_grad_trunc_normal_
import torch
print(_calculate_fan_in_and_fan_out(torch.ones(3,4,2,2)), _calculate_correct_fan(torch.ones(3,4), 'fan_in'), calculate_gain('relu'))
