"""Changing the dtype of modules, copying, applying functions, and walking through them."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
model.double()
print(model[0].weight.dtype, model[1].running_mean.dtype, model[1].num_batches_tracked.dtype)
model.to(torch.float32)
model.half()
print(model[0].weight.dtype)
model.float()
clone = copy.deepcopy(model)
with torch.no_grad():
    clone[0].weight.zero_()
print(model[0].weight.abs().sum() > 0, clone[0].weight.sum())


def init(module):
    if isinstance(module, nn.Linear):
        nn.init.constant_(module.weight, 0.5)
        module.bias.data.fill_(0.1)


model.apply(init)
print(model[2][1].weight, model[0].bias)
print([name for name, _ in model.named_modules()], [name for name, _ in model.named_children()])
print([name for name, _ in model.named_parameters(prefix="net", recurse=True)], [name for name, _ in model.named_buffers()])
print([type(m).__name__ for m in model.modules()], len(list(model.children())))
model.eval()
print(model.training, model[2][0].training)
model.set_submodule("2.0", nn.Tanh())
print(model.get_submodule("2.0"), model.get_parameter("0.weight").shape, model.get_buffer("1.running_var"))
model.register_parameter("none", None)
print(model.none, len(list(model.parameters())))
del model.none
print(hasattr(model, "none"))
