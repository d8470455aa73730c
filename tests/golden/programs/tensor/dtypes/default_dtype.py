import numpy as np
import torch

torch.set_default_dtype(torch.float64)
x = torch.tensor([1.5, 2.5], requires_grad=True)
i = torch.tensor([1, 2])
y = (x * i / 3).sum()
y.backward()
print(torch.get_default_dtype(), x, x.grad, y)
print(i / 2, i * 1.5, i.float(), torch.zeros(2), torch.ones(2), torch.linspace(0, 1, 3), torch.eye(2))
print(torch.tensor(1j), torch.full((2,), 0.5), torch.arange(0, 1, 0.5), torch.rand(1).dtype, torch.Tensor([1.0]))
print(i.float().dtype, torch.sqrt(i), torch.sin(torch.tensor(True)), (i * 1j).dtype, torch.from_numpy(np.ones(1, "float32")))
model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.LayerNorm(2))
print(model(x).dtype, [p.dtype for p in model.parameters()], i.double().mean().item(), torch.empty(0).dtype)
torch.set_default_dtype(torch.int64)
