import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x.exp()
y.sum().backward(retain_graph=True)
print(y.grad_fn._saved_result)
y.sum().backward()
y.grad_fn._saved_result
