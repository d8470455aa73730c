"""Freezing a part of a model, and groups with learning rates of their own."""
import torch
import torch.nn as nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
head = nn.Linear(4, 2)
model = nn.Sequential(backbone, head)
for parameter in backbone.parameters():
    parameter.requires_grad = False
optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.1)
before = backbone[0].weight.clone()
loss = model(torch.ones(1, 4)).sum()
loss.backward()
optimizer.step()
print(backbone[0].weight.grad, torch.equal(before, backbone[0].weight), head.weight.grad.shape)
print({name: p.requires_grad for name, p in model.named_parameters()})
backbone.requires_grad_(True)
optimizer.add_param_group({"params": backbone.parameters(), "lr": 0.01})
print([(group["lr"], len(group["params"])) for group in optimizer.param_groups])
print(optimizer)
try:
    optimizer.add_param_group({"params": head.parameters()})
except ValueError as error:
    print(error)
