import torch
print(torch.tensor(3), torch.tensor(3.), torch.tensor(True), torch.tensor([1, 2.5]))
print(torch.zeros(2, 3), torch.ones((2,)), torch.full((2, 2), 7), torch.full((2,), 1.5))
print(torch.arange(5), torch.arange(1, 4), torch.arange(0, 1, 0.25), torch.arange(3.))
print(torch.linspace(0, 1, 5), torch.eye(2), torch.eye(2, 3))
print(torch.zeros_like(torch.tensor([1, 2])), torch.ones_like(torch.tensor([1., 2.]), dtype=torch.float64))
print(torch.full_like(torch.ones(2), 3.), torch.empty(0), torch.zeros(0, 3))
print(torch.FloatTensor([1, 2]), torch.Tensor([3, 4]), torch.DoubleTensor([5]))
