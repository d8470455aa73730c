"""A forward hook with always_call runs though the call raises."""
import torch
import torch.nn as nn


class Fails(nn.Module):
    def forward(self, x):
        raise ValueError("no")


module = Fails()
module.register_forward_hook(lambda m, args, out: print("hook", out), always_call=True)
try:
    module(torch.ones(1))
except ValueError as error:
    print("caught", error)
inplace = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
inplace[1].register_full_backward_hook(lambda m, gi, go: None)
inplace(torch.ones(1, 2))
