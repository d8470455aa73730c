import torch
x = torch.LongTensor([1, 2])
print(x, x.dtype)
x.requires_grad = True
