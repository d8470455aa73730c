import torch
norms = {}
params = {"w": torch.tensor([3., 4.], requires_grad=True), "b": torch.tensor([1.], requires_grad=True)}
for name, p in params.items():
    p.register_hook(lambda g, name=name: norms.__setitem__(name, g.norm().item()) if False else norms.update({name: g.norm().item()}))
loss = (params["w"] ** 2).sum() + params["b"].sum() * 5
loss.backward()
print(norms)
