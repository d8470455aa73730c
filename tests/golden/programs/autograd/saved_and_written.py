# Tensors that are saved may be written within this context.
import torch
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    a = torch.ones(2, 3, requires_grad=True)
    b = a.clone(); out = (b ** 2).sum(); b.sin_(); out.sum().backward()
print(b, a.grad)
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    a = torch.ones(2, requires_grad=True); b = a.exp(); c = (b * b).sum(); b.mul_(3)
try: c.backward()
except Exception as e: print(type(e).__name__, e)
try:
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        with torch.autograd.graph.allow_mutation_on_saved_tensors(): pass
except Exception as e: print(type(e).__name__, e)
