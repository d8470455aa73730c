from operator import attrgetter, itemgetter, methodcaller
import torch
from collections import namedtuple

P = namedtuple("P", "x y")
l = [P(2, 1), P(1, 5)]
print(sorted(l, key=attrgetter("x")), sorted(l, key=itemgetter(1)), list(map(methodcaller("index", 5), [P(5, 1)])))
print(attrgetter("x", "y")(l[0]), attrgetter("weight.shape")(torch.nn.Linear(2, 3)))
print(itemgetter(0, 1)([7, 8, 9]))
