import torch
def hook(g): print('hook called'); return None
x = torch.ones(2, requires_grad=True)
x.register_hook(hook)
y = torch.ones(2, requires_grad=True)
z = (x * 0 + y).sum()
torch.autograd.grad(z, y, retain_graph=True)
print('-')
torch.autograd.grad(z, [x, y], retain_graph=True)
print('-')
z.backward(inputs=[y])
print(x.grad, y.grad)
