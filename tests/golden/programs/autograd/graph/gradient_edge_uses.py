import torch
from torch.autograd.graph import get_gradient_edge, GradientEdge
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
e = get_gradient_edge(y)
print(type(e).__name__, e.output_nr, e.node.name())
z = y.sin().sum()
print(torch.autograd.grad(z, e, retain_graph=True))
print(torch.autograd.grad(z, [e, x], retain_graph=True))
print(torch.autograd.grad(z, get_gradient_edge(x), retain_graph=True))
print(torch.autograd.grad(get_gradient_edge(z), x, retain_graph=True))
try:
    get_gradient_edge(torch.ones(2))
except Exception as ex:
    print(type(ex).__name__, ex)
torch.autograd.backward(get_gradient_edge(z), inputs=[x])
print(x.grad)
a, b = (x * 2).unbind()
print(get_gradient_edge(b).output_nr, get_gradient_edge(b).node.name())
print(isinstance(e, tuple), e[1])
try:
    torch.autograd.grad(get_gradient_edge(y), x)
except Exception as ex:
    print(type(ex).__name__, ex)
