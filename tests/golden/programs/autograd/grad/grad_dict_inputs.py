import torch
p = {"a": torch.tensor(2., requires_grad=True), "b": torch.tensor(3., requires_grad=True)}
print(torch.autograd.grad(p["a"] * p["b"], p))
