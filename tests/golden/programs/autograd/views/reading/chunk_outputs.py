import torch
x = torch.arange(5., requires_grad=True)
parts = torch.chunk(x, 3)
print(parts)
print(parts[0].grad_fn is parts[1].grad_fn, parts[1].output_nr)
print(parts[1].grad_fn.next_functions)
