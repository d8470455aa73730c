import torch
x = torch.ones(2, requires_grad=True)
print(x.is_floating_point(), torch.is_tensor(x), x.is_complex(), x.is_leaf, x.output_nr)
print(x.requires_grad, x.grad, x.grad_fn, x._version, x._base, x.data.requires_grad)
