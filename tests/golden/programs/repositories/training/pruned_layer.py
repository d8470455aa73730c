import torch
import torch.nn.utils.prune as prune
torch.manual_seed(0)
m = torch.nn.Linear(4, 2)
prune.l1_unstructured(m, name='weight', amount=3)
print(list(m.named_parameters()), list(m.named_buffers()), m.weight)
print(prune.is_pruned(m), list(m._forward_pre_hooks.values()))
prune.remove(m, 'weight'); print(list(m.state_dict()), m.weight)
