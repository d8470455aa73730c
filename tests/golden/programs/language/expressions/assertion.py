import torch
x = torch.tensor([2., 3.], requires_grad=True)
(x ** 3).sum().backward()
assert torch.allclose(x.grad, 3 * x.detach() ** 2)
assert x.grad[0] == 0, 'not zero'
