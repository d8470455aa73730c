import torch
x = torch.tensor([1., 2.], requires_grad=True)
print(torch.autograd.gradcheck(lambda x: x * 2, (x,), eps=1e-2, atol=1e-2))
