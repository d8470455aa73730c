import torch
x = torch.ones(2, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: print("post", p.grad))
x.register_hook(lambda g: print("pre", g))
(x * 2 + x * 3).sum().backward()
print(torch.autograd.grad((x * 2).sum(), x))
