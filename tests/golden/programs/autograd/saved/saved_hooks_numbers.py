import torch
stored = []
def pack(t):
    stored.append(t)
    return len(stored) - 1
def unpack(i):
    return stored[i]
x = torch.tensor([1., 2.], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = (x.sin() * x).sum()
y.backward()
print(x.grad, len(stored))
