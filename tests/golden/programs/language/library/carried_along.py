# What scripts of courses and repositories carry along: iterators of NumPy, weak references, handlers, cached functions.
import logging
import weakref
from functools import lru_cache

import numpy as np
import torch
from torch import nn


def numerical_gradient(f, x, h=1e-5):
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        place = it.multi_index
        kept = x[place]
        x[place] = kept + h
        above = f(x)
        x[place] = kept - h
        below = f(x)
        x[place] = kept
        grad[place] = (above - below) / (2 * h)
        it.iternext()
    return grad


x = np.array([[1.0, 2.0], [3.0, 4.0]])
print(np.round(numerical_gradient(lambda a: (a**2).sum(), x), 4))
with np.nditer(x, op_flags=["readwrite"]) as it:
    for element in it:
        element[...] = 2 * element
print(x)
print([(int(a), float(b)) for a, b in np.nditer([np.arange(3), np.array(0.5)])])
it = np.nditer(np.arange(4).reshape(2, 2), flags=["c_index"])
print([(it.index, it[0].item()) for _ in it], it.itersize)
for wrong in (lambda: np.nditer(x).multi_index, lambda: np.nditer(x).index):
    try:
        wrong()
    except ValueError as error:
        print(error)
try:
    for element in np.nditer(x):
        element[...] = 0
except ValueError as error:
    print(error)


class Node:
    def __init__(self, parent=None):
        self.parent = weakref.ref(parent) if parent is not None else None


root = Node()
child = Node(root)
print(child.parent() is root)
w = nn.Parameter(torch.ones(2))
kept = weakref.WeakKeyDictionary()
kept[root] = "root"
print(kept[root], len(kept), weakref.ref(w)() is w)
del root
print(child.parent(), len(kept))


class Lines(logging.Handler):
    def __init__(self):
        super().__init__(level=logging.INFO)
        self.lines = []

    def emit(self, record):
        self.lines.append((record.levelname, record.getMessage(), self.format(record)))


log = logging.getLogger("training")
log.setLevel(logging.DEBUG)
handler = Lines()
handler.setFormatter(logging.Formatter("[%(levelname)s] %(name)s: %(message)s"))
log.addHandler(handler)
log.debug("not taken")
log.info("loss %.3f in turn %d", 0.25, 3)
log.warning("done")
print(handler.lines)


class Short(logging.Formatter):
    def format(self, record):
        return f"{record.levelno}|{record.msg % record.args if record.args else record.msg}"


handler.setFormatter(Short())
log.error("%s", "last")
print(handler.lines[-1])


@lru_cache(maxsize=2)
def square(n):
    return n * n


print([square(n) for n in (1, 2, 1, 3)], square.cache_info().hits, square.cache_info())

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
synced = nn.SyncBatchNorm.convert_sync_batchnorm(net)
print(synced, isinstance(synced[1], nn.modules.batchnorm._BatchNorm))
print(synced(torch.randn(4, 2)).shape, synced[1].num_batches_tracked)
try:
    nn.SyncBatchNorm(2)(torch.ones(2))
except ValueError as error:
    print(error)
