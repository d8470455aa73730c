import torch, torch.nn as nn
import torch.nn.utils.prune as prune
class ThresholdPruning(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"
    def __init__(self, threshold): self.threshold = threshold
    def compute_mask(self, tensor, default_mask): return torch.abs(tensor) > self.threshold
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 1))
for p in ((m[0], 'weight'), (m[2], 'weight')): ThresholdPruning.apply(p[0], p[1], 0.3)
print(m[0].weight, m[0].weight_mask)
prune.l1_unstructured(m[0], 'weight', amount=1); print(type(list(m[0]._forward_pre_hooks.values())[0]).__name__, m[0].weight)
m(torch.ones(1, 3)).sum().backward(); print(m[0].weight_orig.grad)
for mod in m.modules():
    if isinstance(mod, nn.Linear) and prune.is_pruned(mod): prune.remove(mod, 'weight')
print([n for n, _ in m.named_parameters()], float((m[0].weight == 0).sum()) / m[0].weight.nelement())
