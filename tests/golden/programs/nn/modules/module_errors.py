"""What modules refuse, in their own words."""
import torch
import torch.nn as nn


class Unbegun(nn.Module):
    def __init__(self):
        self.layer = nn.Linear(1, 1)


class UnbegunParameter(nn.Module):
    def __init__(self):
        self.w = nn.Parameter(torch.ones(1))


class NoForward(nn.Module):
    pass


class Needs(nn.Module):
    def forward(self, x, y):
        return x + y


m = nn.Sequential(nn.Linear(2, 2))
m.register_buffer("held", torch.ones(1))
linear = nn.Linear(2, 3)
calls = [
    Unbegun, UnbegunParameter, lambda: NoForward()(1), lambda: Needs()(torch.ones(1)), lambda: nn.Linear(2),
    lambda: linear(torch.ones(2, 5)), lambda: linear(), lambda: setattr(linear, "weight", torch.ones(2)),
    lambda: setattr(m, "held", 3), lambda: m.register_buffer("0", torch.ones(1)),
    lambda: m.register_parameter("w", torch.ones(1)), lambda: m.register_parameter("a.b", None),
    lambda: m.register_parameter("", None), lambda: m.register_buffer("b", 3), lambda: m.add_module("x", torch.ones(1)),
    lambda: m.add_module("a.b", nn.ReLU()), lambda: m.add_module("forward", nn.ReLU()), lambda: m.missing,
    lambda: m.get_submodule("0.weight"), lambda: m.get_submodule("7"), lambda: m.get_parameter("0.in_features"),
    lambda: m.get_buffer("0"), lambda: m.train("yes"), lambda: nn.Dropout(1.5), lambda: nn.Sequential(3),
    lambda: nn.ModuleList([3]), lambda: m[5], lambda: nn.GroupNorm(3, 10), lambda: nn.Conv2d(3, 4, 3, groups=2),
    lambda: nn.BatchNorm2d(3)(torch.ones(2, 3)), lambda: nn.Softmax2d()(torch.ones(2)), lambda: nn.ReLU(1, 2, 3),
    lambda: m.to(torch.int64), lambda: nn.Embedding(3, 2)(torch.tensor([5])), lambda: nn.MSELoss(reduction="avg")(linear.bias, linear.bias),
    lambda: nn.Flatten(bad=1), lambda: nn.TripletMarginLoss(margin=-1),
]
for call in calls:
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__ + ":", error)
