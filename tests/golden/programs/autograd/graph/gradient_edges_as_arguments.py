import torch
x = torch.tensor([1., 2.], requires_grad=True)
y = x * x
edge = torch.autograd.graph.get_gradient_edge(y)
print(type(edge).__name__, edge.node is y.grad_fn, edge.output_nr)
z = y.sum()
print(torch.autograd.grad(z, edge, retain_graph=True))
print(torch.autograd.grad(edge, x, torch.ones(2), retain_graph=True))
ex = torch.autograd.graph.get_gradient_edge(x)
print(ex.node.name(), torch.autograd.grad(z, ex, retain_graph=True))
try:
    torch.autograd.graph.get_gradient_edge(torch.ones(1))
except RuntimeError as e:
    print(e)
torch.autograd.backward(edge, torch.ones(2))
print(x.grad)
