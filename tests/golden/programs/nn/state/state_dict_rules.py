"""Saving and loading: strict or not, assigned, with hooks and extra state."""
import copy

import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
state = model.state_dict()
print(list(state), state["1.num_batches_tracked"])
other = copy.deepcopy(model)
print(other.load_state_dict(state))
for given in ({"0.weight": torch.ones(2, 2), "zz": torch.ones(1)}, {"0.weight": torch.ones(3, 2)}, {**state, "1.weight": 3}):
    try:
        model.load_state_dict(given)
    except RuntimeError as error:
        print(error)
print(model.load_state_dict({"0.bias": torch.zeros(2), "more": torch.ones(1)}, strict=False))
print(model[0].bias)
kept = model[0].weight
model.load_state_dict({"0.weight": torch.eye(2, dtype=torch.float64)}, strict=False, assign=True)
print(model[0].weight, model[0].weight is kept)
model.register_state_dict_post_hook(lambda m, s, prefix, meta: s.pop("0.bias"))
print(list(model.state_dict()))
other.register_load_state_dict_post_hook(lambda m, keys: keys.missing_keys.clear())
print(other.load_state_dict({}))
other.register_load_state_dict_pre_hook(lambda m, s, *rest: s.setdefault("0.bias", torch.ones(2)))
other.load_state_dict({})
print(other[0].bias)


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.count = 3
        self.register_buffer("hidden", torch.ones(1), persistent=False)

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


first, second = Counter(), Counter()
first.count = 7
second.load_state_dict(first.state_dict())
print(first.state_dict(), second.count)
try:
    model.load_state_dict([1])
except TypeError as error:
    print(error)
