import torch

f = torch.jit.fork(lambda x: x + 1, torch.ones(1))
print(torch.jit.wait(f))
future = torch.futures.Future()
future.set_result(3)
print(future.wait(), future.done(), future.value(), future.then(lambda f: f.value() + 1).wait())
with torch.autograd.set_multithreading_enabled(False):
    print(torch.cond(torch.tensor(True), lambda x: x.sin(), lambda x: x.cos(), (torch.ones(1),)))
print(torch.detach(torch.ones(1)), torch.get_device(torch.ones(1)), torch.cpu.is_available(), torch.cuda.memory_stats())
print(torch.arange(6.0).split(split_size=4), len(list(torch.nn.Linear(1, 1).modules(remove_duplicate=False))))
from torch.utils.data import DistributedSampler

s = DistributedSampler(range(10), num_replicas=3, rank=1, shuffle=True, seed=4)
s.set_epoch(2)
print(list(s), len(s))
print(list(DistributedSampler(range(10), 3, 0, shuffle=False, drop_last=True)))
try:
    DistributedSampler(range(4))
except Exception as e:
    print(type(e).__name__, e)
try:
    DistributedSampler(range(4), 2, 5)
except Exception as e:
    print(type(e).__name__, e)
from torch.utils import _pytree as P

t = {"a": [1, (2, None)], "b": 3}
print(
    P.tree_map(lambda x: x, t),
    P.tree_flatten(t, is_leaf=lambda x: isinstance(x, list))[0],
    P.tree_map(lambda x: 0, t, is_leaf=lambda x: isinstance(x, tuple)),
)
print(P.tree_map_with_path(lambda p, x: P.keystr(p), t))
print([P.keystr(p) for p, _ in P.tree_leaves_with_path(t)] if hasattr(P, "tree_leaves_with_path") else 0)


class N:
    def __init__(s, x, y):
        s.x, s.y = x, y


P.register_pytree_node(N, lambda n: ([n.x, n.y], None), lambda c, _: N(*c), serialized_type_name="N")
l, spec = P.tree_flatten([N(1, 2), 3])
print(l, P.tree_unflatten([5, 6, 7], spec)[0].y)
print(P.tree_map(lambda v: v + 1, N(1, 2)).x)
print(__import__("copy").copy([1]))
