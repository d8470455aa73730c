"""A hook of an accumulated gradient may return nothing, or its tensor."""

import torch

for hook in (lambda p: p.grad, lambda p: 3, lambda p: p, lambda p: torch.zeros(2)):
    w = torch.ones(2, requires_grad=True)
    w.register_post_accumulate_grad_hook(hook)
    try:
        w.sum().backward()
        print(w.grad)
    except (RuntimeError, TypeError) as error:
        print(error)
