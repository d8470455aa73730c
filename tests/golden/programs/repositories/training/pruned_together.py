import torch
import torch.nn.utils.prune as prune
torch.manual_seed(0)
m = torch.nn.Sequential(torch.nn.Linear(4, 2), torch.nn.Linear(2, 3))
prune.global_unstructured([(m[0], 'weight'), (m[1], 'weight')], pruning_method=prune.L1Unstructured, amount=0.5)
print(m[0].weight, m[1].weight)
prune.random_unstructured(m[0], 'bias', amount=1)
prune.ln_structured(m[1], 'weight', amount=1, n=2, dim=0)
print(m[0].bias, m[1].weight_mask)
