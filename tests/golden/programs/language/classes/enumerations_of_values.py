"""Enumerations whose members are values of another class: texts, tuples with names, data classes, layers."""

import dataclasses
from collections import namedtuple
from enum import Enum, IntEnum
from typing import NamedTuple

import torch
from torch import nn

Point = namedtuple("Point", "x y")


class Corner(Point, Enum):
    LEFT = (0.0, 1.0)
    RIGHT = (2.0, 3.0)


class Size(NamedTuple):
    width: int
    depth: int = 2


class Model(Size, Enum):
    SMALL = (4,)
    LARGE = (8, 3)


@dataclasses.dataclass(frozen=True)
class Rate:
    start: float
    decay: float = 0.5


class Plan(Rate, Enum):
    FAST = 0.1
    SLOW = (0.01, 0.9)


class Kind(str, Enum):
    RELU = "relu"
    TANH = "tanh"

    def layer(self):
        return {Kind.RELU: nn.ReLU, Kind.TANH: nn.Tanh}[self]()


class Level(IntEnum):
    LOW = 1
    HIGH = 3


class Loss(Enum):
    SQUARED = nn.MSELoss()
    ABSOLUTE = nn.L1Loss()


x = torch.tensor([Corner.LEFT, Corner.RIGHT], requires_grad=True)
print(Corner.RIGHT.x, Model.SMALL.depth, Model.LARGE.value, Plan.SLOW.decay, Plan.FAST.start)
y = Kind("tanh").layer()(x) * Level.HIGH
for loss in Loss:
    x.grad = None
    loss.value(y, torch.zeros(2, 2)).backward(retain_graph=True)
    print(loss.name, x.grad)
