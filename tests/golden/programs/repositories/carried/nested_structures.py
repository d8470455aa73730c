import torch
from collections import namedtuple
from torch.utils import _pytree as pytree
from torch.utils._pytree import tree_map, tree_flatten, tree_unflatten
P = namedtuple('P', 'x y')
t = {'a': [torch.ones(1), (2, 3)], 'b': P(4, None)}
leaves, spec = tree_flatten(t)
print(leaves, spec.num_leaves, spec.is_leaf())
print(tree_unflatten(list(range(5)), spec), tree_map(lambda a, b: a + b, [1, 2], [3, 4]))
print(pytree.tree_map_only(int, lambda v: v + 1, {'n': [1, 'a']}), pytree.tree_map_only(torch.Tensor, lambda v: v * 2, [torch.ones(1), 3]))
print(pytree.tree_any(lambda v: v is None, t), pytree.tree_all(lambda v: v is None, [None]), pytree.tree_leaves((1, [2])))
print(pytree.tree_structure([1, (2,)]) == pytree.tree_structure([3, (4,)]), pytree.tree_structure([1]))
try: tree_unflatten([1], pytree.tree_structure([1, 2]))
except ValueError as e: print(e)
