import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.scale = nn.Parameter(torch.ones(1))
        self.n = 3
        self._secret = 4
        self.register_buffer("mask", torch.ones(2))


torch.manual_seed(0)
m = Net()
layer = nn.Linear(2, 2)
print([n in dir(m) for n in ["fc", "scale", "n", "mask", "weight", "forward", "_secret", "training"]])
print([n in dir(layer) for n in ["weight", "bias", "in_features", "training", "forward", "nothing", "_parameters", "_modules"]])
print([n in dir(nn.BatchNorm2d(2)) for n in ["running_mean", "num_batches_tracked", "eps", "affine", "momentum"]])
print("0" in dir(nn.Sequential(layer)), "left" in dir(nn.ModuleDict({"left": layer})))
print("weight" in dir(nn.Linear), "forward" in dir(nn.Linear))


def halved(module, state, prefix, about):
    print(type(module).__name__, list(state), repr(prefix))
    return {name: value / 2 for name, value in state.items()}


model = nn.Sequential(nn.Linear(1, 1))
nn.init.constant_(model[0].weight, 4.0)
nn.init.zeros_(model[0].bias)
inner = model[0]._register_state_dict_hook(halved)
print(model[0].state_dict(), model.state_dict())
inner.remove()
outer = model._register_state_dict_hook(halved)
print(model.state_dict(), type(model.state_dict()))
outer.remove()
model.register_state_dict_post_hook(halved)
try:
    model.state_dict()
except RuntimeError as error:
    print(error)
