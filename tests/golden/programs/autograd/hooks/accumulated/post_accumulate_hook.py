import torch
x = torch.tensor([1., 2.], requires_grad=True)
def step(p):
    print("grad is", p.grad)
    with torch.no_grad():
        p -= 0.1 * p.grad
    p.grad = None
h = x.register_post_accumulate_grad_hook(step)
(x ** 2).sum().backward()
print(x, x.grad)
h.remove()
(x ** 2).sum().backward()
print(x.grad)
