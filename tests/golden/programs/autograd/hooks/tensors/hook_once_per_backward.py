import torch
calls = []
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: calls.append(g.clone()))
y = x * 2
y.sum().backward(retain_graph=True)
y.sum().backward()
print(len(calls), calls)
