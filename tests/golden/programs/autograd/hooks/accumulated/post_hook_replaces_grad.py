import torch
x = torch.ones(2, requires_grad=True)
def h(p):
    print('post', p.grad, p is x)
    p.grad = p.grad * 10
x.register_post_accumulate_grad_hook(h)
(x * 2).sum().backward()
print(x.grad)
(x * 2).sum().backward()
print(x.grad)
torch.autograd.grad((x * 2).sum(), x)
(x * 2).sum().backward(create_graph=True)
print(x.grad)
