import torch
print(torch.autograd.grad((torch.ones(1, requires_grad=True)*2).sum(), [torch.ones(1, requires_grad=True)], allow_unused=True))
print(torch.std_mean(torch.arange(3.)), torch.var_mean(torch.arange(3.)), torch.unique(torch.tensor([1,2,1]), return_counts=True))
print(torch.frexp(torch.ones(1)), torch.aminmax(torch.ones(2)))
