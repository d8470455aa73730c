import torch
with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        pass
